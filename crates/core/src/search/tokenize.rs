//! From text to words.

use std::borrow::Cow;
use std::mem;

use rust_stemmers::{Algorithm, Stemmer};

/// Longer runs are digests and encoded data, which are not indexed.
const LONGEST_WORD: usize = 48;

/// Lower-case words of a text, in order.
///
/// Letters and digits make words. Scripts without spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer,
/// Burmese) become pairs of neighbours. `CrashLoopBackOff` is one word and also its four parts.
pub(super) fn tokenize(text: &str, mut emit: impl FnMut(&str)) {
    let mut rest = text;
    let mut word = AsciiWord::default();
    while !rest.is_empty() {
        let mut kinds = 0;
        let is_end = |byte| {
            let kind = KINDS.get(usize::from(byte)).copied().unwrap_or(OTHER);
            kinds |= kind;
            kind == SEPARATOR
        };
        let length = rest.bytes().position(is_end).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        match kinds {
            SEPARATOR => {}
            // Nearly every word is one already.
            LOWER => {
                if chunk.len() <= LONGEST_WORD {
                    emit(chunk);
                }
            }
            UPPER | LOWER_AND_UPPER => word.emit(chunk, &mut emit),
            _ => split(chunk, &mut emit),
        }
        rest = after.get(1..).unwrap_or_default();
    }
}

/// A byte that is a character by itself and belongs to no word.
const SEPARATOR: u8 = 0;
/// A lower-case letter or a digit.
const LOWER: u8 = 1;
/// An upper-case letter.
const UPPER: u8 = 2;
/// What has to be looked at as a character.
const OTHER: u8 = 4;
const LOWER_AND_UPPER: u8 = LOWER | UPPER;

/// What each byte is.
#[expect(clippy::indexing_slicing, reason = "a wrong index would not compile")]
const KINDS: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'\'' | b'#' | b'+' => OTHER,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    kinds
};

/// A word of ASCII letters and digits, which is not in lower case. The same as [`Word`], but faster.
#[derive(Default)]
struct AsciiWord {
    text: String,
    humps: Vec<usize>,
}

impl AsciiWord {
    fn emit(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        if word.len() > LONGEST_WORD {
            return;
        }
        self.text.clear();
        self.text.push_str(word);
        self.text.make_ascii_lowercase();
        emit(&self.text);
        self.humps.clear();
        let pairs = word.bytes().zip(word.bytes().skip(1)).zip(1..);
        let humps = pairs.filter(|((a, b), _)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
        self.humps.extend(humps.map(|(_, at)| at));
        emit_parts(&self.text, &mut self.humps, emit);
    }
}

/// The parts of a word that is written in several.
fn emit_parts(word: &str, humps: &mut Vec<usize>, emit: &mut impl FnMut(&str)) {
    // Two parts are more often one name, and `Java` is not what a reader of `JavaScript` means.
    if humps.len() > 1 {
        let mut start = 0;
        humps.push(word.len());
        for &end in &*humps {
            emit(word.get(start..end).unwrap_or_default());
            start = end;
        }
    }
}

fn split(text: &str, emit: &mut impl FnMut(&str)) {
    let mut word = Word::default();
    let mut pairs = Pairs::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_unspaced(c) {
            word.finish(emit);
            pairs.push(c, emit);
            continue;
        }
        pairs.finish(emit);
        let next = chars.peek().copied();
        if is_inside_word(c, next) {
            // `don't` is `dont`, and a decomposed accent or a vowel sign does not end a word.
        } else if c.is_alphanumeric() {
            word.push(c);
        } else if word.is_letter() && (c == '#' || (c == '+' && next == Some('+'))) {
            word.text.push(c);
            if c == '+' {
                word.text.push('+');
                chars.next();
            }
            word.finish(emit);
        } else {
            word.finish(emit);
        }
    }
    word.finish(emit);
    pairs.finish(emit);
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
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e4e}'        // Thai
        | '\u{e81}'..='\u{ecd}'      // Lao
        | '\u{1000}'..='\u{103f}'    // Burmese
        | '\u{1780}'..='\u{17d3}'    // Khmer
        | '\u{3041}'..='\u{30ff}'    // kana
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'    // hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

/// Vowel and tone signs that are written with the character before them.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ecd}'
        | '\u{102b}'..='\u{103e}'
        | '\u{17b4}'..='\u{17d3}')
}

fn is_inside_word(c: char, next: Option<char>) -> bool {
    match c {
        '\'' | '\u{2019}' => next.is_some_and(char::is_alphabetic),
        _ => matches!(c,
            '\u{300}'..='\u{36f}'
            // Hebrew points, Arabic vowels and the stretched line between Arabic letters.
            | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{640}'
            // Joiners, and the sign that no vowel follows in the scripts of India.
            | '\u{200c}' | '\u{200d}' | '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}'
            | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}'),
    }
}

/// One spelling for the letters that Arabic writes in several ways.
fn plain(c: char) -> char {
    match c {
        '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}' => '\u{627}',
        '\u{649}' | '\u{6cc}' => '\u{64a}',
        '\u{629}' => '\u{647}',
        '\u{6a9}' => '\u{643}',
        c => c,
    }
}

/// The same without the Arabic article and what is written together with it.
fn without_article(word: &str) -> &str {
    const ARTICLES: [&str; 5] = [
        "\u{648}\u{627}\u{644}",
        "\u{628}\u{627}\u{644}",
        "\u{644}\u{644}",
        "\u{627}\u{644}",
        "\u{643}\u{627}\u{644}",
    ];
    let stripped = ARTICLES
        .iter()
        .find_map(|article| word.strip_prefix(article));
    stripped
        .filter(|rest| rest.chars().count() > 2)
        .unwrap_or(word)
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
            self.text.extend(plain(c).to_lowercase());
        }
    }

    fn is_letter(&self) -> bool {
        self.text.len() == 1 && self.text.bytes().all(|byte| byte.is_ascii_lowercase())
    }

    fn finish(&mut self, emit: &mut impl FnMut(&str)) {
        if !self.text.is_empty() && self.text.len() <= LONGEST_WORD {
            emit(without_article(&self.text));
            emit_parts(&self.text, &mut self.humps, emit);
        }
        self.text.clear();
        self.humps.clear();
        self.after_lower = false;
    }
}

/// A run of characters of a script without spaces. Signs stay with their character.
#[derive(Default)]
struct Pairs {
    before: String,
    last: String,
    has_pair: bool,
}

impl Pairs {
    fn push(&mut self, c: char, emit: &mut impl FnMut(&str)) {
        if is_sign(c) && !self.last.is_empty() {
            self.last.push(c);
            return;
        }
        self.emit_pair(emit);
        self.before = mem::take(&mut self.last);
        self.last.push(c);
    }

    fn emit_pair(&mut self, emit: &mut impl FnMut(&str)) {
        if !self.before.is_empty() && !self.last.is_empty() {
            self.before.push_str(&self.last);
            emit(&self.before);
            self.has_pair = true;
        }
    }

    fn finish(&mut self, emit: &mut impl FnMut(&str)) {
        if self.last.is_empty() {
            return;
        }
        self.emit_pair(emit);
        if !self.has_pair {
            emit(&self.last);
        }
        *self = Self::default();
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
    fn fast_words_are_what_slow_ones_are() {
        let parts = ["a", "B", "Loop", "crash", "7", "X9y", "OFF"];
        for number in 0..7_usize.pow(4) {
            let word: String = (0..4)
                .map(|digit| parts[number / 7_usize.pow(digit) % 7])
                .collect();
            let mut slow = Vec::new();
            split(&word, &mut |word: &str| slow.push(word.to_owned()));
            check(&word, &slow.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn scripts_without_spaces() {
        check("数据库迁移", &["数据", "据库", "库迁", "迁移"]);
        check("PDF表格 a 图", &["pdf", "表格", "a", "图"]);
        check("カタ、ひ", &["カタ", "ひ"]);
    }

    #[test]
    fn other_scripts() {
        // Thai "turn off the light in the bedroom": vowel signs stay with their consonant.
        check("ปิดไฟ", &["ปิด", "ดไ", "ไฟ"]);
        check("قَاعِدَة البيانات", &["قاعده", "بيانات"]);
        check("डेटाबेस", &["डेटाबेस"]);
        check("한국어", &["한국", "국어"]);
        check("🚀🎉", &[]);
        check("deploy🚀now", &["deploy", "now"]);
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
