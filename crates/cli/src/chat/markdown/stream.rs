//! The text as it comes, and what of it can be printed.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::inline::{OpenStyles, Word};
use super::line::{LineKind, kind};
use super::table::table;
use crate::terminal::printable;

const HEADING: Style = AnsiColor::BrightCyan.on_default().bold();
const QUOTE: Style = Style::new().dimmed();
const CODE: Style = AnsiColor::Cyan.on_default();
/// Columns that a line is indented by at most.
const DEEPEST: usize = 24;

/// Markdown that is being written.
pub(crate) struct Markdown {
    width: usize,
    /// The part of the line that is not printed yet.
    held: String,
    state: StreamState,
    /// Rows of a table that may continue.
    rows: Vec<String>,
}

/// What the next character belongs to.
enum StreamState {
    /// Where a line begins.
    Start,
    /// Inside a line of text.
    Line(Line),
    /// In a code block that ends with such a line.
    Code { fence: String },
}

/// A line of text, as much as was printed of it.
struct Line {
    column: usize,
    /// The prefix of continuation lines.
    margin: String,
    base: Style,
    open: OpenStyles,
    /// A word was printed.
    begun: bool,
    /// A blank is needed before the next.
    gap: bool,
}

impl Markdown {
    /// For a terminal of that width.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            held: String::new(),
            state: StreamState::Start,
            rows: Vec::new(),
        }
    }

    /// Takes more of the text; what can be printed.
    pub(crate) fn push(&mut self, more: &str) -> String {
        let mut out = String::new();
        for c in more.chars().filter(|c| *c != '\r') {
            if c == '\n' {
                self.end_line(&mut out);
            } else {
                self.held.push(c);
                self.look(&mut out, c);
            }
        }
        out
    }

    /// The end of the input; returns the rest to print. The next text starts on a new line.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        if !self.held.is_empty() || matches!(self.state, StreamState::Line(_)) {
            self.end_line(&mut out);
        }
        self.end_table(&mut out);
        self.state = StreamState::Start;
        out
    }

    fn look(&mut self, out: &mut String, c: char) {
        match &mut self.state {
            StreamState::Start => {
                if let Some((kind, at)) = kind(&self.held, false) {
                    self.begin_line(kind, at, out);
                    if c == ' ' {
                        self.look(out, c);
                    }
                }
            }
            StreamState::Line(line) if c == ' ' => {
                if !line.open.awaits_link(&self.held) {
                    self.words(out);
                }
            }
            // A line can break after these, and may contain no blanks.
            StreamState::Line(line) if is_wide(c) && line.open == OpenStyles::default() => {
                let marks = ['*', '_', '`', '\\', '~', '<', '!'];
                if !self.held.contains(marks) && !line.open.awaits_link(&self.held) {
                    self.words(out);
                }
            }
            StreamState::Line(_) | StreamState::Code { .. } => {}
        }
    }

    fn begin_line(&mut self, kind: LineKind, at: usize, out: &mut String) {
        self.end_table(out);
        let mut base = Style::new();
        let mut margin = String::new();
        match kind {
            LineKind::Heading(_) => base = HEADING,
            LineKind::Item { indent, mark } => {
                let indent = indent.min(DEEPEST);
                let _ = write!(out, "{:indent$}{mark} ", "");
                margin = " ".repeat(indent + mark.width() + 1);
            }
            LineKind::Quote => {
                base = QUOTE;
                margin = format!("{QUOTE}│{QUOTE:#} ");
                out.push_str(&margin);
            }
            LineKind::Text { indent } => {
                margin = " ".repeat(indent.min(DEEPEST));
                out.push_str(&margin);
            }
            LineKind::Blank | LineKind::Fence | LineKind::Row | LineKind::Rule => {}
        }
        let column = anstream::adapter::strip_str(&margin).to_string().width();
        self.held = self.held.get(at..).unwrap_or_default().to_owned();
        self.state = StreamState::Line(Line {
            column,
            margin,
            base,
            open: OpenStyles::default(),
            begun: false,
            gap: false,
        });
    }

    /// Prints the words that are whole.
    fn words(&mut self, out: &mut String) {
        let StreamState::Line(line) = &mut self.state else {
            return;
        };
        for word in line.open.words(&self.held, line.base) {
            line.gap |= word.gap && line.begun;
            if word.width > 0 {
                line.print(&word, self.width, out);
            }
        }
        self.held.clear();
    }

    fn end_line(&mut self, out: &mut String) {
        if let StreamState::Code { fence } = &self.state {
            let held = std::mem::take(&mut self.held);
            if is_end(&held, fence) {
                self.state = StreamState::Start;
            } else if held.is_empty() {
                out.push('\n');
            } else {
                let _ = writeln!(out, "  {CODE}{}{CODE:#}", printable(&held));
            }
            return;
        }
        if matches!(self.state, StreamState::Start) {
            let held = self.held.clone();
            match kind(&held, true) {
                Some((LineKind::Row, _)) => {
                    self.rows.push(printable(&held));
                    self.held.clear();
                    return;
                }
                Some((LineKind::Fence, at)) => {
                    self.end_table(out);
                    let text = held.get(at..).unwrap_or_default();
                    let mark = text.chars().next().unwrap_or('`');
                    let fence = text.chars().take_while(|c| *c == mark).collect();
                    self.held.clear();
                    self.state = StreamState::Code { fence };
                    return;
                }
                Some((LineKind::Rule, _)) => {
                    self.end_table(out);
                    let rule = "─".repeat(self.width.min(40));
                    let _ = writeln!(out, "{QUOTE}{rule}{QUOTE:#}");
                    self.held.clear();
                    return;
                }
                Some((kind, at)) => self.begin_line(kind, at, out),
                None => {}
            }
        }
        self.words(out);
        out.push('\n');
        self.state = StreamState::Start;
    }

    fn end_table(&mut self, out: &mut String) {
        if !self.rows.is_empty() {
            out.push_str(&table(&self.rows, self.width));
            self.rows.clear();
        }
    }
}

impl Line {
    fn print(&mut self, word: &Word, width: usize, out: &mut String) {
        let gap = std::mem::take(&mut self.gap);
        if self.begun && self.column + usize::from(gap) + word.width > width {
            out.push('\n');
            out.push_str(&self.margin);
            self.column = anstream::adapter::strip_str(&self.margin)
                .to_string()
                .width();
        } else if gap {
            out.push(' ');
            self.column += 1;
        }
        out.push_str(&word.text());
        self.column += word.width;
        self.begun = true;
    }
}

/// Whether a character takes two columns, as those of languages without blanks do.
fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

fn is_end(line: &str, fence: &str) -> bool {
    let text = line.trim();
    let mark = fence.chars().next().unwrap_or('`');
    text.len() >= fence.len() && text.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Title here\n\nSome **bold** text that is too long for a line of thirty.\r\n\n\
        - one item that goes on and on\n  - `nested` one\n1. first\n\n> quoted *words*\n\n```rust\nfn main() {\n\n    \
        **not bold**\n}\n```\n- [ ] open [the docs](https://x.y/z) now\n- [x] ~~done~~\n| a | b |\n|---|---|\n| 1 | 22 |\nafter\u{1b}[31m\n---\nend";

    fn whole(text: &str, width: usize) -> String {
        let mut markdown = Markdown::new(width);
        markdown.push(text) + &markdown.finish()
    }

    #[test]
    fn document_is_rendered() {
        let plain = anstream::adapter::strip_str(&whole(TEXT, 30)).to_string();
        insta::assert_snapshot!(plain, @r"
        Title here

        Some bold text that is too
        long for a line of thirty.

        • one item that goes on and on
          • nested one
        1. first

        │ quoted words

          fn main() {

              **not bold**
          }
        ☐ open the docs
          (https://x.y/z) now
        ☑ done
        a  b
        1  22
        after\u{1b}[31m
        ──────────────────────────────
        end
        ");
    }

    /// However it is cut, the same comes out.
    #[test]
    fn chunk_boundaries_do_not_change_the_output() {
        let expected = whole(TEXT, 30);
        for size in [1, 2, 3, 5, 7, 11] {
            let mut markdown = Markdown::new(30);
            let mut out = String::new();
            let characters: Vec<char> = TEXT.chars().collect();
            for part in characters.chunks(size) {
                out.push_str(&markdown.push(&part.iter().collect::<String>()));
            }
            out.push_str(&markdown.finish());
            assert_eq!(out, expected, "in parts of {size}");
        }
    }

    #[test]
    fn complete_words_are_printed_at_once() {
        let mut markdown = Markdown::new(80);
        assert_eq!(markdown.push("Hel"), "");
        assert_eq!(markdown.push("lo wor"), "Hello");
        assert_eq!(markdown.finish(), " world\n".replace("world", "wor"));
        assert_eq!(markdown.finish(), "");
    }

    #[test]
    fn text_without_spaces_is_wrapped() {
        let mut markdown = Markdown::new(10);
        assert_eq!(markdown.push("你好，世"), "你好，世");
        assert_eq!(markdown.push("界 x **粗"), "界\nx");
        assert_eq!(
            anstream::adapter::strip_str(&whole("a **粗体** b", 80)).to_string(),
            "a 粗体 b\n"
        );
    }

    /// Lines that stay ambiguous until their end.
    #[test]
    fn undecided_lines_are_bounded() {
        for part in [
            "-", "1", "`", "~", "#", " ", "* ", "|", "_", "x [", "[a] ", "[a](",
        ] {
            // Checking all earlier characters for each one would take minutes.
            let text = part.repeat(1_000_000 / part.len());
            assert!(whole(&text, 80).ends_with('\n'), "{part:?}");
        }
    }

    #[test]
    fn empty_and_unterminated_input_is_rendered() {
        assert_eq!(whole("", 80), "");
        assert_eq!(whole("\n\n", 80), "\n\n");
        assert!(whole("```\nopen", 80).contains("open"));
        assert!(whole("| a |", 80).contains('a'));
        assert_eq!(whole("#", 80), "\n");
        let long = "x".repeat(200);
        assert_eq!(whole(&long, 20), format!("{long}\n"));
    }
}
