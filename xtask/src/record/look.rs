//! What is on a screen.

use std::num::NonZeroU16;

use vt100::{Color, Parser, Screen};

/// Columns of the terminal.
pub(super) const COLUMNS: u16 = 96;
/// Rows of the terminal.
pub(super) const ROWS: u16 = 26;

/// Characters that look the same, and where they begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) column: u16,
    pub(super) columns: u16,
    pub(super) text: String,
    pub(super) style: Style,
}

/// How characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) ink: Color,
    pub(super) paper: Color,
    pub(super) weight: Weight,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) inverse: bool,
}

/// How heavy characters are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Weight {
    #[default]
    Normal,
    Bold,
    Dim,
}

impl Style {
    fn of(cell: &vt100::Cell) -> Self {
        let weight = match (cell.bold(), cell.dim()) {
            (true, _) => Weight::Bold,
            (false, true) => Weight::Dim,
            (false, false) => Weight::Normal,
        };
        Self {
            ink: cell.fgcolor(),
            paper: cell.bgcolor(),
            weight,
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    /// Whether a blank in it can be seen.
    fn shows_blanks(self) -> bool {
        self.paper != Color::Default || self.underline || self.inverse
    }
}

/// An empty screen.
pub(super) fn blank() -> Parser {
    let size = |cells| NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN);
    Parser::new(size(ROWS), size(COLUMNS), 0)
}

/// The text of a screen, without blanks at the ends of lines and empty lines at its end.
pub(super) fn text(screen: &Screen) -> String {
    let rows: Vec<String> = screen
        .rows(0, COLUMNS)
        .map(|row| row.trim_end().to_owned())
        .collect();
    rows.join("\n").trim_end().to_owned()
}

/// The line on which the cursor stands, up to the cursor.
pub(super) fn before_cursor(screen: &Screen) -> String {
    let (row, column) = screen.cursor_position();
    let cells = (0..column).filter_map(|column| screen.cell(row, column));
    cells
        .filter(|cell| !cell.is_wide_continuation())
        .map(|cell| {
            if cell.has_contents() {
                cell.contents()
            } else {
                " "
            }
        })
        .collect()
}

/// A row in runs. Between two runs may be invisible blanks; within one there are never two of them in a row,
/// because pages show two as one.
pub(super) fn runs(screen: &Screen, row: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut gap = 0;
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column) else {
            break;
        };
        if cell.is_wide_continuation() {
            continue;
        }
        let style = Style::of(cell);
        let is_blank = cell.contents().trim().is_empty();
        if is_blank && !style.shows_blanks() {
            gap += 1;
            continue;
        }
        let text = if is_blank { " " } else { cell.contents() };
        let columns = if cell.is_wide() { 2 } else { 1 };
        let most = u16::from(!style.shows_blanks());
        match runs.last_mut() {
            Some(last) if last.style == style && gap <= most => {
                if gap > 0 {
                    last.text.push(' ');
                }
                last.text.push_str(text);
                last.columns += gap + columns;
            }
            _ => runs.push(Run {
                column,
                columns,
                text: text.to_owned(),
                style,
            }),
        }
        gap = 0;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(text: &str) -> Screen {
        let mut parser = blank();
        parser.process(text.as_bytes());
        parser.screen().clone()
    }

    #[test]
    fn lines_up_to_the_cursor() {
        let check = |text, expected: &str| assert_eq!(before_cursor(&screen(text)), expected);
        check("", "");
        check("> /re\u{1b}[2mlease\u{1b}[0m\r\u{1b}[5C", "> /re");
        check("one\r\n\u{1b}[1m> \u{1b}[0mfor ", "> for ");
        check("日本", "日本");
        check("\u{1b}[4Cx", "    x");
    }

    #[test]
    fn blanks_at_the_end_are_no_text() {
        assert_eq!(text(&screen("a  \r\n\r\n  b \r\n \r\n")), "a\n\n  b");
    }

    #[test]
    fn a_row_in_runs() {
        let found = runs(
            &screen("  \u{1b}[36mgit\u{1b}[0m \u{1b}[36mlog\u{1b}[0m x   y  "),
            0,
        );
        let seen: Vec<_> = found
            .iter()
            .map(|run| (run.column, run.columns, run.text.as_str(), run.style.ink))
            .collect();
        assert_eq!(
            seen,
            [
                (2, 7, "git log", Color::Idx(6)),
                (10, 1, "x", Color::Default),
                (14, 1, "y", Color::Default)
            ]
        );
    }

    #[test]
    fn blanks_with_a_colour_are_seen() {
        let found = runs(&screen("\u{1b}[41m  \u{1b}[0m \u{1b}[1m日\u{1b}[0m"), 0);
        let seen: Vec<_> = found
            .iter()
            .map(|run| (run.column, run.columns, run.text.as_str(), run.style.weight))
            .collect();
        assert_eq!(
            seen,
            [(0, 2, "  ", Weight::Normal), (3, 2, "日", Weight::Bold)]
        );
    }
}
