//! A table, once all of it is there.

use anstyle::Style;

use super::inline::{OpenStyles, Word};

/// Columns that a cell has at least, if it needs them.
const NARROWEST: usize = 4;

/// Rows of `| a | b |` in columns. Cells wrap where they do not fit; a table with too many columns is as it was written.
pub(super) fn table(rows: &[String], width: usize) -> String {
    let is_rule = |row: &&String| {
        let is_line = |c: char| matches!(c, '|' | '-' | ':' | ' ');
        row.contains('-') && row.chars().all(is_line)
    };
    let headed = rows.get(1).is_some_and(|row| is_rule(&row));
    let cells: Vec<Vec<Vec<Word>>> = rows
        .iter()
        .filter(|row| !is_rule(row))
        .enumerate()
        .map(|(index, row)| {
            let is_head = headed && index == 0;
            let base = if is_head {
                Style::new().bold()
            } else {
                Style::new()
            };
            let cells = split(row).into_iter();
            cells
                .map(|cell| OpenStyles::default().words(&cell, base))
                .collect()
        })
        .collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| {
        let widths = cells.iter().filter_map(|row| row.get(column));
        widths.map(|cell| natural(cell)).max().unwrap_or_default()
    };
    let natural: Vec<usize> = (0..columns).map(widest).collect();
    let room = width.checked_sub(2 * columns.saturating_sub(1));
    let Some(widths) = room.and_then(|room| fit(&natural, room)) else {
        return rows.join("\n") + "\n";
    };
    let is_narrow = widths != natural;
    let mut text = String::new();
    for (index, row) in cells.into_iter().enumerate() {
        // Rows of several lines are told apart by a blank one.
        if is_narrow && index > 0 {
            text.push('\n');
        }
        let cells = row.into_iter().zip(&widths);
        let cells: Vec<Vec<(String, usize)>> =
            cells.map(|(cell, width)| wrap(cell, *width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default().max(1);
        for number in 0..height {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(&widths) {
                let (part, taken) = cell
                    .get(number)
                    .map_or(("", 0), |(part, taken)| (part, *taken));
                line.push_str(part);
                line.push_str(&" ".repeat(width.saturating_sub(taken) + 2));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// The columns of a cell in one line.
fn natural(cell: &[Word]) -> usize {
    cell.iter()
        .map(|word| word.width + usize::from(word.gap))
        .sum()
}

/// Widths that fit together: narrow columns keep theirs, the others share the rest. None if that is too little.
fn fit(natural: &[usize], width: usize) -> Option<Vec<usize>> {
    let mut order: Vec<(usize, usize)> = natural.iter().copied().enumerate().collect();
    order.sort_by_key(|(_, natural)| *natural);
    let mut widths = natural.to_vec();
    let (mut room, mut left) = (width, natural.len());
    for (column, natural) in order {
        let share = room / left.max(1);
        let given = natural.min(share);
        if given < natural.min(NARROWEST) {
            return None;
        }
        if let Some(width) = widths.get_mut(column) {
            *width = given;
        }
        room -= given;
        left -= 1;
    }
    Some(widths)
}

/// The lines of a cell, each with its width.
fn wrap(cell: Vec<Word>, width: usize) -> Vec<(String, usize)> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for word in cell.into_iter().flat_map(|word| word.pieces(width.max(1))) {
        let gap = usize::from(word.gap);
        match lines.last_mut() {
            Some((line, taken)) if *taken + gap + word.width <= width => {
                if gap > 0 {
                    line.push(' ');
                }
                line.push_str(&word.text());
                *taken += gap + word.width;
            }
            _ if word.width == 0 => {}
            _ => lines.push((word.text(), word.width)),
        }
    }
    lines
}

/// The cells of a row.
fn split(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in row.chars() {
        match (c, cells.last_mut()) {
            ('|', _) if !escaped => cells.push(String::new()),
            (c, Some(cell)) => {
                if escaped && c == '|' {
                    cell.pop();
                }
                cell.push(c);
            }
            (_, None) => {}
        }
        escaped = c == '\\';
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns() {
        let rows = [
            "| a | long head |",
            "|---|:---:|",
            r"| x \| y | `z` |",
            "| only |",
        ];
        let rows = rows.map(str::to_owned);
        let text = anstream::adapter::strip_str(&table(&rows, 40)).to_string();
        assert_eq!(text, "a      long head\nx | y  z\nonly\n");
        let narrow = anstream::adapter::strip_str(&table(&rows, 10)).to_string();
        assert_eq!(narrow, "a     long\n      head\n\nx |   z\ny\n\nonly\n");
        assert_eq!(table(&rows, 6), rows.map(|row| format!("{row}\n")).concat());
    }

    #[test]
    fn cells_wrap_inside_their_column() {
        let rows = [
            "| key | meaning |",
            "|---|---|",
            "| a | some **bold words** and [a link](https://example.org/path) |",
        ];
        let rows = rows.map(str::to_owned);
        let styled = table(&rows, 24);
        let text = anstream::adapter::strip_str(&styled).to_string();
        insta::assert_snapshot!(text, @r"
        key  meaning

        a    some bold words and
             a link
             (https://example.or
             g/path)
        ");
        assert!(styled.contains("\u{1b}[1mbold\u{1b}[0m"), "{styled:?}");
        assert!(text.lines().all(|line| line.len() <= 24), "{text}");
    }
}
