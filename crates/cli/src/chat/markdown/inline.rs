//! Emphasis, code and links inside a line, word by word.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::link::{Found, find_link};
use crate::terminal::printable;

const CODE: Style = AnsiColor::Cyan.on_default();
/// Bytes that may wait for the end of a link.
const WAITED: usize = 300;
const URL: Style = Style::new().dimmed();

/// The open styles at the start of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenStyles {
    bold: bool,
    italic: bool,
    struck: bool,
    /// How many backticks the end of the code has.
    code: usize,
}

/// A word as it is printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    parts: Vec<(String, Style)>,
    pub(super) width: usize,
    /// A blank stands before it.
    pub(super) gap: bool,
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
        if self.struck {
            style = style.strikethrough();
        }
        style
    }

    /// Whether the end of a text may be the beginning of a link.
    pub(super) fn awaits_link(self, text: &str) -> bool {
        if text.len() > WAITED {
            return false;
        }
        let mut rest = text;
        let mut open = self;
        loop {
            match find_link(rest, open.code) {
                Found::Nothing => return false,
                Found::Open => return true,
                Found::Link(link) => {
                    open.words(link.before, Style::new());
                    rest = link.rest;
                }
            }
        }
    }

    /// The words of a text; marks open and close on the way. The last one is empty if the text ends with a blank.
    pub(super) fn words(&mut self, text: &str, base: Style) -> Vec<Word> {
        let mut words = vec![Word::default()];
        let mut rest = text;
        while let Found::Link(link) = find_link(rest, self.code) {
            self.add(link.before, base, &mut words);
            self.add(link.label, base.underline(), &mut words);
            if !link.url.is_empty() && link.url != link.label {
                self.add(" (", base, &mut words);
                if let Some(word) = words.last_mut() {
                    word.push(&printable(link.url), URL);
                }
                self.add(")", base, &mut words);
            }
            rest = link.rest;
        }
        self.add(rest, base, &mut words);
        words
    }

    fn add(&mut self, text: &str, base: Style, words: &mut Vec<Word>) {
        for (index, raw) in text.split(' ').enumerate() {
            if index > 0 {
                words.push(Word {
                    gap: true,
                    ..Word::default()
                });
            }
            if let Some(word) = words.last_mut() {
                self.word(&printable(raw), base, word);
            }
        }
    }

    fn word(&mut self, raw: &str, base: Style, word: &mut Word) {
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
                '*' | '_' | '~' if self.code == 0 => next.emphasis(first, run, before, after),
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
    fn emphasis(
        &mut self,
        mark: char,
        run: usize,
        before: Option<char>,
        after: Option<char>,
    ) -> bool {
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
            2 if mark == '~' => toggle(&mut self.struck),
            _ if mark == '~' => false,
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
        self.parts.push((text.to_owned(), style));
    }

    /// With its colours.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for (text, style) in &self.parts {
            if *style == Style::new() {
                out.push_str(text);
            } else {
                let _ = write!(out, "{style}{text}{style:#}");
            }
        }
        out
    }

    /// The same word in pieces of at most that width.
    pub(super) fn pieces(self, width: usize) -> Vec<Word> {
        if self.width <= width {
            return vec![self];
        }
        let mut pieces = vec![Word {
            gap: self.gap,
            ..Word::default()
        }];
        for (text, style) in self.parts {
            for c in text.chars() {
                let taken = pieces.last().map_or(0, |word| word.width);
                if taken > 0 && taken + c.width().unwrap_or_default() > width {
                    pieces.push(Word::default());
                }
                if let Some(word) = pieces.last_mut() {
                    word.push(c.encode_utf8(&mut [0; 4]), style);
                }
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bold in `<b>`, italic in `<i>`, code in `<c>`.
    fn shown(line: &str) -> String {
        let mut open = OpenStyles::default();
        let words = open.words(line, Style::new());
        let words: Vec<String> = words.iter().map(Word::text).collect();
        let names = [
            (Style::new().bold().italic(), "<bi>"),
            (Style::new().bold(), "<b>"),
            (Style::new().italic(), "<i>"),
            (Style::new().strikethrough(), "<s>"),
            (Style::new().underline(), "<u>"),
            (URL, "<d>"),
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
            ("~~gone~~ x", "<s>gone</> x"),
            ("~~two words~~", "<s>two</> <s>words</>"),
            ("~5 and a~~b", "~5 and a~~b"),
            ("[a](b_c_d)", "<u>a</> (<d>b_c_d</>)"),
            (
                "([the docs](https://x.y/a_b_(c) \"t\")).",
                "(<u>the</> <u>docs</> (<d>https://x.y/a_b_(c)</>)).",
            ),
            ("![alt](i.png)", "<u>alt</> (<d>i.png</>)"),
            ("[https://x](https://x)", "<u>https://x</>"),
            ("<https://x.y> <b>", "<u>https://x.y</> <b>"),
            ("`[a](b)` [x] [y](", "<c>[a](b)</> [x] [y]("),
            (r"\[a](b) a[1] = (2)", "[a](b) a[1] = (2)"),
            ("[a](b c)", "[a](b c)"),
            ("[a](b\u{1b}]8;;c)", r"<u>a</> (<d>b\u{1b}]8;;c</>)"),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn width_counts_visible_columns() {
        let words = OpenStyles::default().words("**日本**", Style::new());
        assert_eq!(words.iter().map(|word| word.width).sum::<usize>(), 4);
    }
}
