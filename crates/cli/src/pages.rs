//! Texts that must be read to their end before a question about them can be answered with yes.

use std::io;

use unicode_width::UnicodeWidthChar as _;

use crate::terminal;

/// Columns between the stops of tabs.
const TAB: usize = 8;
/// Lines of a screen that are left for the question.
const RESERVED: usize = 4;

/// Shows a text page by page; whether the user has seen all of it. `ask` asks, and returns the answer.
pub(crate) fn show_all(text: &str, mut ask: impl FnMut(&str) -> Option<String>) -> bool {
    let text = terminal::printable(text);
    let lines = display_lines(text.trim_end(), terminal::width());
    let page = terminal::height().saturating_sub(RESERVED).max(RESERVED);
    let mut pages = lines.chunks(page).peekable();
    let mut left = lines.len();
    while let Some(lines) = pages.next() {
        terminal::note(&lines.join("\n"));
        left -= lines.len();
        if pages.peek().is_none() {
            break;
        }
        let question = format!("Not all of it: {left} more lines. [Enter] read on, [D]eny: ");
        if ask(&question).as_deref().map(str::trim) != Some("") {
            return false;
        }
    }
    true
}

/// Shows all of a text at the terminal; whether the user has read it to its end.
pub(crate) fn read_through(text: &str) -> io::Result<bool> {
    let mut failed = None;
    let seen = show_all(text, |question| {
        terminal::ask(question).unwrap_or_else(|error| {
            failed = Some(error);
            None
        })
    });
    failed.map_or(Ok(seen), Err)
}

/// Asks a yes-or-no question about a text, at its end.
pub(crate) fn confirm(text: &str, question: &str) -> io::Result<bool> {
    Ok(read_through(text)? && terminal::confirm(question)?)
}

/// The lines of a text as a terminal of this width shows them.
fn display_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut shown = String::new();
        let mut columns = 0;
        for c in line.chars() {
            // A tab goes to the next of the columns that terminals have for it.
            let tab = TAB - columns % TAB;
            let wide = if c == '\t' {
                tab
            } else {
                c.width().unwrap_or(0)
            };
            if columns + wide > width {
                lines.push(std::mem::take(&mut shown));
                columns = 0;
            }
            shown.push(c);
            columns += wide;
        }
        lines.push(shown);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q41_lines_are_counted_as_they_are_shown() {
        let lines = |text: &str| display_lines(text, 4);
        assert_eq!(lines("abcdefghi\n\nab"), ["abcd", "efgh", "i", "", "ab"]);
        assert_eq!(lines("技能技能x"), ["技能", "技能", "x"]);
        assert_eq!(display_lines("a\tb\t\tc", 16), ["a\tb\t", "\tc"]);
        assert_eq!(lines(""), [""; 0]);
    }
}
