//! Columns that fit the terminal.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use crate::terminal;

/// A column of a table.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) width: Width,
}

/// How wide a column is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Width {
    /// As wide as its widest cell.
    Content,
    /// Whatever the others leave.
    Rest,
}

/// Least that is left to a column of [`Width::Rest`].
const LEAST: usize = 20;

/// Rows under titles, two blanks between columns; cells that do not fit end in an ellipsis.
pub(crate) fn render<C: AsRef<str>>(columns: &[Column], rows: &[Vec<C>]) -> String {
    // Before widths are counted: what is hidden becomes wider.
    let rows: Vec<Vec<Cow<'_, str>>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| terminal::one_line(cell.as_ref()))
                .collect()
        })
        .collect();
    let widest = |index: usize, column: &Column| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(index))
            .map(|cell| width_of(cell));
        cells
            .chain([column.title.width()])
            .max()
            .unwrap_or_default()
    };
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| widest(index, column))
        .collect();
    let fixed: usize = columns
        .iter()
        .zip(&widths)
        .map(|(column, width)| {
            if column.width == Width::Rest {
                2
            } else {
                width + 2
            }
        })
        .sum();
    let room = terminal::width().saturating_sub(fixed).max(LEAST);
    for (column, width) in columns.iter().zip(&mut widths) {
        if column.width == Width::Rest {
            *width = (*width).min(room);
        }
    }
    let titles: Vec<Cow<'_, str>> = columns.iter().map(|column| column.title.into()).collect();
    let mut out = String::new();
    for row in std::iter::once(&titles).chain(&rows) {
        let start = out.len();
        for (cell, width) in row.iter().zip(&widths) {
            push_fitted(&mut out, cell, *width);
            out.push_str("  ");
        }
        let line = out.get(start..).unwrap_or_default().trim_end().len();
        out.truncate(start + line);
        out.push('\n');
    }
    out
}

/// Adds the cell in exactly `width` columns; a wide character that would not fit leaves a blank.
fn push_fitted(out: &mut String, cell: &str, width: usize) {
    let mut used = width_of(cell);
    if used <= width {
        out.push_str(cell);
    } else if cell.is_ascii() {
        out.push_str(cell.get(..width.saturating_sub(1)).unwrap_or_default());
        out.push('…');
        used = width;
    } else {
        // Characters that join take at most four times the room of what they become.
        let longest = cell.char_indices().nth(width * 4);
        let mut text = cell.get(..longest.map_or(cell.len(), |(at, _)| at));
        while let Some(part) = text.filter(|part| width_of(part) >= width) {
            let mut chars = part.chars();
            text = chars.next_back().map(|_| chars.as_str());
        }
        let text = text.unwrap_or_default();
        out.push_str(text);
        out.push('…');
        used = width_of(text) + 1;
    }
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
}

fn width_of(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_padded_or_cut() {
        let fitted = |cell: &str, width: usize| {
            let mut out = String::new();
            push_fitted(&mut out, cell, width);
            out
        };
        assert_eq!(fitted("ab", 4), "ab  ");
        assert_eq!(fitted("abcdef", 4), "abc…");
        assert_eq!(fitted("", 0), "");
        assert_eq!(fitted("漢字です", 8), "漢字です");
        assert_eq!(fitted("漢字です", 6), "漢字… ");
        assert_eq!(fitted("漢字です", 5), "漢字…");
        assert_eq!(fitted("e\u{301}e\u{301}", 3), "e\u{301}e\u{301} ");
    }
}
