//! Emphasis and code inside a line, word by word.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

const CODE: Style = AnsiColor::Cyan.on_default();

/// The open styles at the start of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenStyles {
    bold: bool,
    italic: bool,
    /// How many backticks the end of the code has.
    code: usize,
}

/// A word as it is printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) width: usize,
}

impl OpenStyles {
    fn style(self, base: Style) -> Style {
        if self.code > 0 {
            return CODE;
        }
        let mut style = base;
        if self.bold {
            style = style.bold();
        }
        if self.italic {
            style = style.italic();
        }
        style
    }

    /// Renders a word, or words; marks open and close on the way.
    pub(super) fn word(&mut self, raw: &str, base: Style) -> Word {
        let mut word = Word::default();
        let mut plain = String::new();
        let mut before = None;
        let mut rest = raw;
        while let Some(first) = rest.chars().next() {
            let run = rest.chars().take_while(|c| *c == first).count();
            let (marks, behind) = rest.split_at(run * first.len_utf8());
            let after = behind.chars().next();
            let mut next = *self;
            let is_mark = match first {
                '`' => next.ticks(run),
                '*' | '_' if self.code == 0 => next.emphasis(run, before, after),
                _ => false,
            };
            if is_mark {
                word.push(&plain, self.style(base));
                plain.clear();
                *self = next;
                before = Some(first);
                rest = behind;
                continue;
            }
            if first == '\\' && self.code == 0 && after.is_some_and(|c| c.is_ascii_punctuation()) {
                // The escaped character is literal.
                let escaped = after.unwrap_or_default();
                plain.push(escaped);
                rest = behind.get(escaped.len_utf8()..).unwrap_or_default();
                before = Some(escaped);
                continue;
            }
            plain.push_str(marks);
            before = Some(first);
            rest = behind;
        }
        word.push(&plain, self.style(base));
        word
    }

    fn ticks(&mut self, run: usize) -> bool {
        match self.code {
            0 => self.code = run,
            open if open == run => self.code = 0,
            _ => return false,
        }
        true
    }

    /// Whether marks are emphasis: they stand at the beginning of a word to open it, at the end to close it.
    fn emphasis(&mut self, run: usize, before: Option<char>, after: Option<char>) -> bool {
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let opens = is_edge(before) && after.is_some();
        let closes = before.is_some() && is_edge(after);
        let toggle = |flag: &mut bool| {
            let works = if *flag { closes } else { opens };
            if works {
                *flag = !*flag;
            }
            works
        };
        match run {
            1 => toggle(&mut self.italic),
            2 => toggle(&mut self.bold),
            3 if self.bold == self.italic => toggle(&mut self.bold) && toggle(&mut self.italic),
            _ => false,
        }
    }
}

impl Word {
    fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.width += text.width();
        if style == Style::new() {
            self.text.push_str(text);
        } else {
            let _ = write!(self.text, "{style}{text}{style:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bold in `<b>`, italic in `<i>`, code in `<c>`.
    fn shown(line: &str) -> String {
        let mut open = OpenStyles::default();
        let words: Vec<String> = line
            .split(' ')
            .map(|word| open.word(word, Style::new()).text)
            .collect();
        let names = [
            (Style::new().bold().italic(), "<bi>"),
            (Style::new().bold(), "<b>"),
            (Style::new().italic(), "<i>"),
            (CODE, "<c>"),
        ];
        let mut text = words.join(" ");
        for (style, name) in names {
            text = text.replace(&style.render().to_string(), name);
        }
        text.replace("\u{1b}[0m", "</>")
    }

    #[test]
    fn emphasis_and_code_are_styled() {
        for (line, expected) in [
            ("plain", "plain"),
            ("**bold** x", "<b>bold</> x"),
            ("**two words** x", "<b>two</> <b>words</> x"),
            ("*it*, x", "<i>it</>, x"),
            ("_it_ x", "<i>it</> x"),
            ("***both*** x", "<bi>both</> x"),
            ("(**b**)", "(<b>b</>)"),
            ("`a b` c", "<c>a</> <c>b</> c"),
            ("`a*b*`", "<c>a*b*</>"),
            ("``a`b``", "<c>a`b</>"),
            ("2 * 3 * 4", "2 * 3 * 4"),
            ("5*3 x*", "5*3 x*"),
            ("snake_case_name", "snake_case_name"),
            ("__init__.py", "<b>init</>.py"),
            (r"\*a\* \x", r"*a* \x"),
            ("a**b**c", "a**b**c"),
            ("****", "****"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn width_counts_visible_columns() {
        let word = OpenStyles::default().word("**日本**", Style::new());
        assert_eq!(word.width, 4);
    }
}
