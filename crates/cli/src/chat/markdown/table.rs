//! A table, once all of it is there.

use anstyle::Style;

use super::inline::{OpenStyles, Word};

/// Rows of `| a | b |` in columns; as they were written if they do not fit.
pub(super) fn table(rows: &[String], width: usize) -> String {
    let is_rule = |row: &&String| {
        let is_line = |c: char| matches!(c, '|' | '-' | ':' | ' ');
        row.contains('-') && row.chars().all(is_line)
    };
    let headed = rows.get(1).is_some_and(|row| is_rule(&row));
    let cells: Vec<Vec<Word>> = rows
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
            split(row)
                .iter()
                .map(|cell| OpenStyles::default().word(cell, base))
                .collect()
        })
        .collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| {
        let widths = cells.iter().filter_map(|row| row.get(column));
        widths.map(|word| word.width).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    if widths.iter().map(|width| width + 2).sum::<usize>() > width {
        return rows.join("\n") + "\n";
    }
    let mut text = String::new();
    for row in &cells {
        let mut line = String::new();
        for (word, width) in row.iter().zip(&widths) {
            line.push_str(&word.text);
            line.push_str(&" ".repeat(width - word.width + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
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
        assert_eq!(
            table(&rows, 10),
            rows.map(|row| format!("{row}\n")).concat()
        );
    }
}
