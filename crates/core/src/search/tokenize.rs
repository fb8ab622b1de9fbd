//! From text to words.

use std::borrow::Cow;
use std::mem;

use rust_stemmers::{Algorithm, Stemmer};

/// Longer runs are digests and encoded data, which are not indexed.
const LONGEST_WORD: usize = 48;

/// Lower-case words of a text, in order.
///
/// Letters and digits make words. Text in Chinese, Japanese or Korean has no reliable spaces and becomes pairs of
/// neighbours. `CrashLoopBackOff` is one word and also its four parts.
pub(super) fn tokenize(text: &str, mut emit: impl FnMut(&str)) {
    let mut word = Word::default();
    let mut pairs = Pairs::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_cjk(c) {
            word.finish(&mut emit);
            pairs.push(c, &mut emit);
            continue;
        }
        pairs.finish(&mut emit);
        let next = chars.peek().copied();
        if c.is_alphanumeric() {
            word.push(c);
        } else if is_inside_word(c, next) && !word.text.is_empty() {
            // `don't` is `dont`, and a decomposed accent does not end a word.
        } else if word.is_letter() && (c == '#' || (c == '+' && next == Some('+'))) {
            word.text.push(c);
            if c == '+' {
                word.text.push('+');
                chars.next();
            }
            word.finish(&mut emit);
        } else {
            word.finish(&mut emit);
        }
    }
    word.finish(&mut emit);
    pairs.finish(&mut emit);
}

/// The stem of an English word: `deploys` and `deployed` share `deploy`.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    // Names such as `k8s` lose more than they gain, and the algorithm knows English only.
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// Scripts written without spaces between words.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{30ff}'      // kana
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'    // hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

fn is_inside_word(c: char, next: Option<char>) -> bool {
    match c {
        '\'' | '\u{2019}' => next.is_some_and(char::is_alphabetic),
        _ => matches!(c, '\u{300}'..='\u{36f}'),
    }
}

/// The word being read.
#[derive(Default)]
struct Word {
    text: String,
    /// Where an upper-case letter followed a lower-case one.
    humps: Vec<usize>,
    after_lower: bool,
}

impl Word {
    fn push(&mut self, c: char) {
        if self.after_lower && c.is_uppercase() {
            self.humps.push(self.text.len());
        }
        self.after_lower = c.is_lowercase();
        if c.is_ascii() {
            self.text.push(c.to_ascii_lowercase());
        } else {
            self.text.extend(c.to_lowercase());
        }
    }

    fn is_letter(&self) -> bool {
        self.text.len() == 1 && self.text.bytes().all(|byte| byte.is_ascii_lowercase())
    }

    fn finish(&mut self, emit: &mut impl FnMut(&str)) {
        if !self.text.is_empty() && self.text.len() <= LONGEST_WORD {
            emit(&self.text);
            // Two parts are more often one name, and `Java` is not what a reader of `JavaScript` means.
            if self.humps.len() > 1 {
                let mut start = 0;
                self.humps.push(self.text.len());
                for &end in &self.humps {
                    emit(self.text.get(start..end).unwrap_or_default());
                    start = end;
                }
            }
        }
        self.text.clear();
        self.humps.clear();
        self.after_lower = false;
    }
}

/// A run of characters of a script without spaces.
#[derive(Default)]
enum Pairs {
    #[default]
    None,
    Alone(char),
    Inside(char),
}

impl Pairs {
    fn push(&mut self, c: char, emit: &mut impl FnMut(&str)) {
        *self = match mem::take(self) {
            Self::None => Self::Alone(c),
            Self::Alone(before) | Self::Inside(before) => {
                emit(&String::from_iter([before, c]));
                Self::Inside(c)
            }
        };
    }

    fn finish(&mut self, emit: &mut impl FnMut(&str)) {
        if let Self::Alone(c) = mem::take(self) {
            emit(c.encode_utf8(&mut [0; 4]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut words = Vec::new();
        tokenize(text, |word| words.push(word.to_owned()));
        assert_eq!(words, expected, "{text:?}");
    }

    #[test]
    fn words() {
        check("", &[]);
        check("Fill-in PDF/A forms.", &["fill", "in", "pdf", "a", "forms"]);
        check(
            "values.yaml, max_conns",
            &["values", "yaml", "max", "conns"],
        );
        check("don't ’quote’ it’s '", &["dont", "quote", "its"]);
        check("C++ c# F# a+b #1", &["c++", "c#", "f#", "a", "b", "1"]);
        check(
            "Straße ÉCOLE re\u{301}sume\u{301}",
            &["straße", "école", "resume"],
        );
    }

    #[test]
    fn humps() {
        check("JavaScript", &["javascript"]);
        check(
            "CrashLoopBackOff",
            &["crashloopbackoff", "crash", "loop", "back", "off"],
        );
    }

    #[test]
    fn scripts_without_spaces() {
        check("数据库迁移", &["数据", "据库", "库迁", "迁移"]);
        check("PDF表格 a 图", &["pdf", "表格", "a", "图"]);
        check("カタ、ひ", &["カタ", "ひ"]);
    }

    #[test]
    fn long_runs_are_left_out() {
        check(&"f".repeat(LONGEST_WORD + 1), &[]);
    }

    #[test]
    fn stems() {
        assert_eq!(stem("restarting"), stem("restarts"));
        assert_eq!(stem("k8s"), "k8s");
        assert_eq!(stem("écoles"), "écoles");
    }
}
