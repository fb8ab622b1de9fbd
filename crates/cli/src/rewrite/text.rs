//! Edits of texts of which every other byte stays: a byte order mark, line ends, what no parser reads.

use crate::error::Result;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What an edit makes of a text. `edit` sees it with plain line ends; what it changes gets those of the text, and all bytes that
/// it does not change stay.
pub(crate) fn edit_text(before: &str, edit: impl FnOnce(&str) -> Result<String>) -> Result<String> {
    let body = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
    let plain = body.replace("\r\n", "\n");
    let after = edit(&plain)?;
    let (start, end) = unchanged(&plain, &after);
    let changed = after.get(start..after.len() - end).unwrap_or_default();
    let windows_ends = body.matches("\r\n").count();
    let changed = if windows_ends * 2 > body.matches('\n').count() {
        changed.replace('\n', "\r\n")
    } else {
        changed.to_owned()
    };
    let head = body.get(..offset(body, start)).unwrap_or_default();
    let tail = body.get(offset(body, plain.len() - end)..);
    let mark = before.get(..before.len() - body.len());
    let parts = [
        mark.unwrap_or_default(),
        head,
        &changed,
        tail.unwrap_or_default(),
    ];
    Ok(parts.concat())
}

/// Bytes at the start and at the end that two texts have in common.
fn unchanged(before: &str, after: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let length = |(a, _): (char, char)| a.len_utf8();
    let start = before.chars().zip(after.chars());
    let start: usize = start.take_while(same).map(length).sum();
    let rest = |text: &str| text.get(start..).unwrap_or_default().to_owned();
    let (before, after) = (rest(before), rest(after));
    let end = before.chars().rev().zip(after.chars().rev());
    (start, end.take_while(same).map(length).sum())
}

/// Where an offset of the text with plain line ends is in the text itself.
fn offset(body: &str, plain: usize) -> usize {
    let ends = body.match_indices("\r\n").enumerate();
    let before = ends.take_while(|(count, (at, _))| at - count < plain);
    plain + before.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, from: &str, to: &str, expected: &str) {
        let edit = |text: &str| Ok(text.replace(from, to));
        assert_eq!(edit_text(before, edit).unwrap(), expected);
    }

    #[test]
    fn du13_bytes_outside_of_an_edit_stay() {
        check("a\nb\n", "b", "x\ny", "a\nx\ny\n");
        check("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n");
        check("\u{feff}a\r\nb", "b", "c\n", "\u{feff}a\r\nc\r\n");
        // Mixed line ends stay mixed.
        check("a\r\nb\nc\n", "c", "d\ne", "a\r\nb\nd\ne\n");
        check("a\r\n\r\nb\r\n", "\n\nb", "\nb", "a\r\nb\r\n");
        check("ä\r\nü\r\n", "ü", "ß", "ä\r\nß\r\n");
        check("a\r\n", "x", "y", "a\r\n");
        check("", "", "new\n", "new\n");
        check("\u{feff}", "", "new\n", "\u{feff}new\n");
    }
}
