//! Columns that fit the terminal.

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
pub(crate) fn render(columns: &[Column], rows: &[Vec<String>]) -> String {
    // Before widths are counted: what is hidden becomes wider.
    let shown = |row: &Vec<String>| row.iter().map(|cell| terminal::printable(cell)).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
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
    let titles: Vec<String> = columns
        .iter()
        .map(|column| column.title.to_owned())
        .collect();
    let line = |cells: &Vec<String>| {
        let cells = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| fitted(cell, *width));
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    std::iter::once(&titles).chain(&rows).map(line).collect()
}

/// The cell in exactly `width` columns; a wide character that would not fit leaves a blank.
fn fitted(cell: &str, width: usize) -> String {
    let mut text = cell.to_owned();
    let mut used = width_of(cell);
    if used > width {
        // Characters that join take at most four times the room of what they become.
        let longest = text.char_indices().nth(width * 4);
        text.truncate(longest.map_or(text.len(), |(at, _)| at));
        if text.is_ascii() {
            text.truncate(width.saturating_sub(1));
        }
        while width_of(&text) >= width && text.pop().is_some() {}
        text.push('…');
        used = width_of(&text);
    }
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
    text
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
        assert_eq!(fitted("ab", 4), "ab  ");
        assert_eq!(fitted("abcdef", 4), "abc…");
        assert_eq!(fitted("", 0), "");
        assert_eq!(fitted("漢字です", 8), "漢字です");
        assert_eq!(fitted("漢字です", 6), "漢字… ");
        assert_eq!(fitted("漢字です", 5), "漢字…");
        assert_eq!(fitted("e\u{301}e\u{301}", 3), "e\u{301}e\u{301} ");
    }
}
