//! A picker as lines of text. Nothing of an item is obeyed by the terminal, and no line is wider than it.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

use super::matching::Found;
use super::model::Picker;
use crate::terminal::printable;

/// Columns of a tab.
const TAB: &str = "    ";

const PLAIN: Style = Style::new();
const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const CURSOR: Style = Style::new().invert();

type Cells = Vec<(char, Style)>;

/// The lines of a screen, with styles and nothing else that a terminal obeys.
pub(super) fn lines(picker: &Picker<'_>) -> Vec<String> {
    let layout = &picker.layout;
    let mut lines = Vec::new();
    let full = |cells: Cells| fitted(cells, layout.columns).0;
    if layout.rows >= 6 {
        let mut title = cells(&picker.title, STRONG);
        if !picker.chosen.is_empty() {
            title.extend(cells(&format!("  {} chosen", picker.chosen.len()), PLAIN));
        }
        lines.push(full(title));
    }
    if layout.rows >= 2 {
        lines.push(full(filter(picker)));
    }
    let preview = preview(picker);
    let mut preview = preview.iter();
    for at in picker.top..picker.top + layout.list {
        let row = picker.found.get(at).map(|(item, found)| {
            let row = row(picker, *item, found, at == picker.cursor);
            fitted(row, layout.list_columns)
        });
        let (mut line, width) = row.unwrap_or_default();
        if layout.is_beside() {
            // The column is named, because terminals differ about the width of some characters.
            let gap = " ".repeat(layout.list_columns - width);
            let column = layout.list_columns + 1;
            let text = preview.next().map_or("", String::as_str);
            let _ = write!(line, "{gap}\u{1b}[{column}G {DIM}│{DIM:#} {text}");
        }
        lines.push(line);
    }
    if !layout.is_beside() && layout.preview.0 > 0 {
        lines.push(full(cells(&"─".repeat(layout.columns), DIM)));
        let rest = std::iter::repeat_with(|| preview.next().cloned().unwrap_or_default());
        lines.extend(rest.take(layout.preview.0));
    }
    if layout.rows >= 6 {
        let (found, all) = (picker.found.len(), picker.rows.len());
        let help = "space choose, ctrl-a all, enter accept, esc cancel";
        lines.push(full(cells(&format!("{found} of {all}  {help}"), DIM)));
    }
    lines
}

fn filter(picker: &Picker<'_>) -> Cells {
    let mut line = cells("filter: ", DIM);
    // The end of a long filter stays in sight.
    let room = picker.layout.columns.saturating_sub(10).max(1);
    let hidden = picker.filter.len().saturating_sub(room);
    let text: String = picker.filter.iter().skip(hidden).collect();
    line.extend(cells(&printable(&text), PLAIN));
    line.push((' ', CURSOR));
    line
}

fn row(picker: &Picker<'_>, item: usize, found: &Found, is_current: bool) -> Cells {
    let Some(row) = picker.rows.get(item) else {
        return Cells::new();
    };
    let base = if is_current { STRONG } else { PLAIN };
    let marker = if is_current { "> " } else { "  " };
    let is_chosen = picker.chosen.contains(&item);
    let mark = if is_chosen { "[x] " } else { "[ ] " };
    let length = picker.filter.len();
    let in_name = |at: usize| match found {
        Found::Name(start) => (*start..start + length).contains(&at),
        Found::Letters(letters) => letters.contains(&at),
        Found::Description(_) => false,
    };
    let in_description = |at: usize| match found {
        Found::Description(start) => (*start..start + length).contains(&at),
        _ => false,
    };
    let underlined = |style: Style, is_match: bool| {
        if is_match { style.underline() } else { style }
    };
    let mut line = cells(marker, base);
    line.extend(cells(mark, base));
    let name = row.name.iter().enumerate();
    line.extend(name.map(|(at, c)| (*c, underlined(base, in_name(at)))));
    line.extend(cells("  ", PLAIN));
    let description = row.description.iter().enumerate();
    line.extend(description.map(|(at, c)| (*c, underlined(DIM, in_description(at)))));
    line
}

/// The lines of the preview, as many as there is room for.
fn preview(picker: &Picker<'_>) -> Vec<String> {
    let (rows, columns) = picker.layout.preview;
    // A line has at least one character, and one of several bytes or none of its own width is rare.
    let seen: String = picker.preview().chars().take(rows * columns * 4).collect();
    let text = printable(&seen).replace('\t', TAB);
    let lines = text.lines().flat_map(|line| wrapped(line, columns));
    let lines = lines.map(|line| fitted(cells(&line, PLAIN), columns).0);
    lines.take(rows).collect()
}

/// A line in pieces that fit, broken at spaces where there are some.
fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![];
    let mut piece = String::new();
    let mut width = 0;
    for c in line.chars() {
        let own = c.width().unwrap_or_default();
        if width + own > columns && !piece.is_empty() {
            let rest = match piece.rfind(' ').filter(|at| *at > 0) {
                Some(at) => piece.split_off(at).trim_start().to_owned(),
                None => String::new(),
            };
            pieces.push(std::mem::replace(&mut piece, rest));
            width = piece.chars().filter_map(UnicodeWidthChar::width).sum();
        }
        piece.push(c);
        width += own;
    }
    pieces.push(piece);
    pieces
}

fn cells(text: &str, style: Style) -> Cells {
    text.chars().map(|c| (c, style)).collect()
}

/// A line in at most that many columns, and how many it takes.
fn fitted(cells: Cells, columns: usize) -> (String, usize) {
    let width_of = |cell: &(char, Style)| cell.0.width().unwrap_or_default();
    let total: usize = cells.iter().map(width_of).sum();
    let room = if total > columns {
        columns - 1
    } else {
        columns
    };
    let mut line = String::new();
    let mut style = PLAIN;
    let mut width = 0;
    for cell in cells {
        if width + width_of(&cell) > room {
            break;
        }
        width += width_of(&cell);
        if cell.1 != style {
            let _ = write!(line, "{style:#}{}", cell.1);
            style = cell.1;
        }
        line.push(cell.0);
    }
    let _ = write!(line, "{style:#}");
    if total > columns {
        line.push('…');
        width += 1;
    }
    (line, width)
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::super::PickerItem;
    use super::super::keys::Key;
    use super::*;

    /// A line without styles.
    fn plain(line: &str) -> String {
        let mut parts = line.split("\u{1b}[");
        let mut out = parts.next().unwrap().to_owned();
        for part in parts {
            let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            out.push_str(part.get(end + 1..).unwrap());
        }
        out
    }

    fn item(name: &str, description: &str, preview: &str) -> PickerItem {
        PickerItem {
            name: name.to_owned(),
            description: description.to_owned(),
            preview: preview.to_owned(),
        }
    }

    fn screen(picker: &Picker<'_>) -> String {
        let lines = lines(picker);
        let lines: Vec<String> = lines
            .iter()
            .map(|it| plain(it).trim_end().to_owned())
            .collect();
        lines.join("\n")
    }

    fn two() -> [PickerItem; 2] {
        [
            item(
                "pdf",
                "Reads PDF files",
                "# PDF\n\nOne two three four five six seven eight nine ten",
            ),
            item("csv", "Reads CSV files", "# CSV"),
        ]
    }

    #[test]
    fn pi4_the_preview_is_beside_the_list() {
        let items = two();
        let mut picker = Picker::new(&items, "Choose skills");
        picker.resize(80, 8);
        picker.press(Key::Character(' '));
        insta::assert_snapshot!(screen(&picker), @r"
        Choose skills  1 chosen
        filter:
        > [x] pdf  Reads PDF files       │ # PDF
          [ ] csv  Reads CSV files       │
                                         │ One two three four five six seven eight nine
                                         │ ten
                                         │
        2 of 2  space choose, ctrl-a all, enter accept, esc cancel
        ");
    }

    #[test]
    fn pi4_the_preview_is_below_the_list() {
        let items = two();
        let mut picker = Picker::new(&items, "Choose skills");
        picker.resize(30, 13);
        picker.press(Key::Down);
        picker.press(Key::Character('s'));
        insta::assert_snapshot!(screen(&picker), @r"
        Choose skills
        filter: s
        > [ ] csv  Reads CSV files
          [ ] pdf  Reads PDF files




        ──────────────────────────────
        # CSV


        2 of 2  space choose, ctrl-a …
        ");
    }

    #[test]
    fn pi4_tiny_terminals() {
        let items = two();
        let mut picker = Picker::new(&items, "Choose skills");
        picker.press(Key::Down);
        picker.resize(12, 1);
        assert_eq!(screen(&picker), "> [ ] csv  …");
        picker.resize(9, 2);
        assert_eq!(screen(&picker), "filter:\n> [ ] cs…");
        picker.resize(0, 0);
        assert_eq!(screen(&picker), "…");
    }

    #[test]
    fn pi1_matches_are_underlined() {
        let items = two();
        let mut picker = Picker::new(&items, "t");
        picker.resize(70, 8);
        for c in "df".chars() {
            picker.press(Key::Character(c));
        }
        let line = &lines(&picker)[2];
        let mark = format!("{}", STRONG.underline());
        assert!(line.contains(&format!("{mark}df")), "{line:?}");
        assert!(line.contains('p'), "{line:?}");
    }

    #[test]
    fn pi5_text_of_strangers_fits_and_is_not_obeyed() {
        let items = [
            item(
                "evil\u{1b}[2J\u{202e}name\nsecond",
                "表表表表表表表表表表表表表表表表表表表表 e\u{301}e\u{301} 👩\u{200d}💻 \u{7}",
                "\u{1b}]0;title\u{7}\ttab\n表表表表表表表表表表表表表表表表表表表表表表表表表表表表\r\nend\u{9b}1m",
            ),
            item("", "", ""),
        ];
        let mut picker = Picker::new(&items, "title\u{1b}[2J");
        picker.press(Key::Character('e'));
        for columns in 1..=130 {
            for rows in 1..=16 {
                picker.resize(columns, rows);
                let drawn = lines(&picker);
                assert_eq!(drawn.len(), rows, "{columns} {rows}");
                for line in drawn {
                    let text = plain(&line);
                    let width: usize = text.chars().filter_map(UnicodeWidthChar::width).sum();
                    assert!(
                        width <= columns && text.width() <= columns,
                        "{columns}: {text:?}"
                    );
                    assert!(!text.contains(char::is_control), "{text:?}");
                    assert!(!text.contains('\u{202e}'), "{text:?}");
                }
            }
        }
        picker.resize(130, 16);
        let screen = screen(&picker);
        assert!(
            screen.contains("evil\\u{1b}[2J\\u{202e}name second"),
            "{screen}"
        );
        assert!(screen.contains("\\u{1b}]0;title\\u{7}    tab"), "{screen}");
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("表表表", 3), ["表", "表", "表"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
