//! The kind of a line, as soon as its start determines it.

/// A line by its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    /// A heading of that level; the text starts after the marks.
    Heading(usize),
    /// A code block begins or ends here. The whole line is needed.
    Fence,
    /// A row of a table. The whole line is needed.
    Row,
    Rule,
    /// A list item with its marker.
    Item {
        indent: usize,
        mark: String,
    },
    Quote,
    Text {
        indent: usize,
    },
}

/// Bytes of a line that are examined for its kind. Hundreds of dashes are not a rule.
const LOOKED_AT: usize = 256;

/// Marks that open a code block at most.
const FENCE: usize = 32;

/// The kind of a line and the start of its text, or `None` if more of the line is needed.
pub(super) fn kind(line: &str, is_whole: bool) -> Option<(LineKind, usize)> {
    if line.len() > LOOKED_AT && !is_long(line) {
        return Some((plain(0), 0));
    }
    let text = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - text.len();
    let Some(first) = text.chars().next() else {
        return is_whole.then_some((LineKind::Blank, indent));
    };
    match first {
        '#' => {
            heading(text, is_whole).map(|(kind, at)| (kind.unwrap_or(plain(indent)), indent + at))
        }
        '`' | '~' => {
            let marks = text.chars().take(FENCE + 1);
            let marks = marks.take_while(|c| *c == first).count();
            match marks {
                3..=FENCE => is_whole.then_some((LineKind::Fence, indent)),
                _ if marks == text.len() && !is_whole => None,
                _ => Some((plain(indent), indent)),
            }
        }
        '|' => is_whole.then_some((LineKind::Row, indent)),
        '>' => Some((LineKind::Quote, indent + 1)),
        '-' | '*' | '_' | '+' => bullet(text, first, indent, is_whole),
        '0'..='9' => numbered(text, indent, is_whole),
        _ => Some((plain(indent), indent)),
    }
}

/// Whether a line may be as long as it likes: a row of a table, and what opens a code block.
fn is_long(line: &str) -> bool {
    let head = line.get(..line.floor_char_boundary(LOOKED_AT));
    let text = head.unwrap_or_default().trim_start_matches([' ', '\t']);
    text.starts_with(['|', '`', '~'])
}

fn plain(indent: usize) -> LineKind {
    LineKind::Text { indent }
}

/// A heading and where its text begins; no kind if it is text after all.
fn heading(text: &str, is_whole: bool) -> Option<(Option<LineKind>, usize)> {
    let level = text.chars().take_while(|c| *c == '#').count();
    match text.chars().nth(level) {
        Some(' ' | '\t') if level <= 6 => Some((Some(LineKind::Heading(level)), level + 1)),
        None if is_whole && level <= 6 => Some((Some(LineKind::Heading(level)), level)),
        None if level <= 6 => None,
        _ => Some((None, 0)),
    }
}

fn bullet(text: &str, mark: char, indent: usize, is_whole: bool) -> Option<(LineKind, usize)> {
    let only_marks = text.chars().all(|c| c == mark || c == ' ');
    if only_marks && mark != '+' {
        let marks = text.chars().filter(|c| *c == mark).count();
        return match (is_whole, marks) {
            (true, 3..) => Some((LineKind::Rule, text.len() + indent)),
            // An item without a word.
            (true, 1) if mark != '_' => Some((item(indent), indent + 1)),
            (true, _) => Some((plain(indent), indent)),
            (false, _) => None,
        };
    }
    match text.chars().nth(1) {
        Some(' ') if mark != '_' => task(text.get(2..).unwrap_or_default(), indent, is_whole),
        None if !is_whole => None,
        _ => Some((plain(indent), indent)),
    }
}

/// An item, which may be a task: `[ ] text` or `[x] text`.
fn task(text: &str, indent: usize, is_whole: bool) -> Option<(LineKind, usize)> {
    for (mark, shown) in [("[ ] ", "☐"), ("[x] ", "☑"), ("[X] ", "☑")] {
        if text.starts_with(mark) {
            let mark = shown.to_owned();
            return Some((LineKind::Item { indent, mark }, indent + 6));
        }
        if !is_whole && mark.starts_with(text) {
            return None;
        }
    }
    Some((item(indent), indent + 2))
}

fn item(indent: usize) -> LineKind {
    LineKind::Item {
        indent,
        mark: "•".to_owned(),
    }
}

fn numbered(text: &str, indent: usize, is_whole: bool) -> Option<(LineKind, usize)> {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let behind: String = text.chars().skip(digits).take(2).collect();
    match behind.as_str() {
        ". " | ") " => {
            let mark = text.get(..=digits).unwrap_or_default().to_owned();
            Some((LineKind::Item { indent, mark }, indent + digits + 2))
        }
        "" | "." | ")" if !is_whole => None,
        _ => Some((plain(indent), indent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_kinds_are_recognized() {
        let text = |indent| LineKind::Text { indent };
        let item = |indent, mark: &str| LineKind::Item {
            indent,
            mark: mark.to_owned(),
        };
        for (line, expected, at) in [
            ("", LineKind::Blank, 0),
            ("  ", LineKind::Blank, 2),
            ("# a", LineKind::Heading(1), 2),
            ("###", LineKind::Heading(3), 3),
            ("#hash", text(0), 0),
            ("####### a", text(0), 0),
            ("```rust", LineKind::Fence, 0),
            ("  ~~~~", LineKind::Fence, 2),
            ("`code` a", text(0), 0),
            ("``", text(0), 0),
            ("| a | b |", LineKind::Row, 0),
            ("---", LineKind::Rule, 3),
            ("* * *", LineKind::Rule, 5),
            ("- a", item(0, "•"), 2),
            ("  * a", item(2, "•"), 4),
            ("-", item(0, "•"), 1),
            ("-a", text(0), 0),
            ("**bold**", text(0), 0),
            ("*it* a", text(0), 0),
            ("--", text(0), 0),
            ("1. a", item(0, "1."), 3),
            ("12) a", item(0, "12)"), 4),
            ("1.5 m", text(0), 0),
            ("2026", text(0), 0),
            ("> a", LineKind::Quote, 1),
            ("ä", text(0), 0),
        ] {
            assert_eq!(kind(line, true), Some((expected, at)), "{line:?}");
        }
    }

    /// An early result equals that of the whole line.
    #[test]
    fn early_line_kind_does_not_change() {
        for whole in [
            "# a b",
            "####### x",
            "```rust",
            "`` a",
            "- a",
            "- [ ] a",
            "- [x] a",
            "- [xy] a",
            "- [ ]",
            "- - -",
            "--a",
            "* b *",
            "***x",
            "12. a",
            "12.5",
            "+ a",
            "+1",
            "_a_",
            "___",
            "> q",
            "| a |",
            "  text",
            "1) x",
            "0",
        ] {
            let expected = kind(whole, true).unwrap();
            for end in 1..=whole.len() {
                let part = whole.get(..end).unwrap();
                if let Some(early) = kind(part, false) {
                    assert_eq!(early, expected, "{part:?} of {whole:?}");
                }
            }
        }
    }
}
