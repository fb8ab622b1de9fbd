//! The end of a frontmatter that has no closing delimiter line.

use crate::entry::{BlockScalars, Line, entry_field, entry_key, heading_mark, lines};
use crate::field::Field;
use crate::span::Span;

/// Where a frontmatter ends, judged by its lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AssumedEnd {
    /// The start of the line after the last field.
    pub(crate) end: usize,
    /// Where the body starts.
    pub(crate) body: usize,
    /// The line that ends the frontmatter.
    pub(crate) line: Span,
    pub(crate) kind: EndKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// A line of three hyphens.
    Delimiter,
    /// A line that starts with three hyphens, and is indented or goes on.
    Malformed,
    /// A heading, or a blank line and text.
    Missing,
}

/// Whether the first line of `text` is the name or the description of a skill.
pub(crate) fn starts_with_fields(text: &str) -> bool {
    lines(text, 0..text.len())
        .next()
        .is_some_and(|line| is_required_field(line.text))
}

/// The end of the fields that `text` starts with.
///
/// A name or a description must stand before the end, so that other Markdown is not taken for fields. The end of
/// the text is not an end: the file may be incomplete.
pub(crate) fn assumed_end(text: &str) -> Option<AssumedEnd> {
    let mut blocks = BlockScalars::default();
    let mut has_required_field = false;
    let mut first_blank = None;
    let mut rest = lines(text, 0..text.len()).peekable();
    while let Some(line) = rest.next() {
        if line.is_blank() {
            first_blank.get_or_insert(line.start);
            blocks.contain(line);
            continue;
        }
        let blank = first_blank.take();
        if blocks.contain(line) {
            continue;
        }
        if let Some(end) = delimiter(line) {
            return has_required_field.then_some(end);
        }
        if is_required_field(line.text) {
            has_required_field = true;
            continue;
        }
        let next = rest.peek().map_or("", |next| next.text);
        if ends_fields(line.text, next, blank.is_some()) {
            if has_required_field {
                let end = blank.unwrap_or(line.start);
                return Some(AssumedEnd {
                    end,
                    body: end,
                    line: line.span(),
                    kind: EndKind::Missing,
                });
            }
            if !line.text.starts_with('#') {
                return None;
            }
        }
    }
    None
}

/// Whether `line`, which is neither blank nor a delimiter, starts the body.
fn ends_fields(line: &str, next: &str, after_blank: bool) -> bool {
    if heading_mark(line).is_some() || line.starts_with([' ', '\t']) {
        return false;
    }
    if line.starts_with('#') {
        // Right before a field it is a comment.
        return !is_key(next);
    }
    after_blank && !is_key(line)
}

/// Whether a line is a field. Sentences may have a colon, too: `Note: ...`.
fn is_key(line: &str) -> bool {
    let key = entry_key(line).and_then(|length| line.get(..length));
    key.is_some_and(|key| {
        let is_word = !key.contains(' ') && !key.starts_with(|c: char| c.is_ascii_uppercase());
        is_word || Field::loosely(key).is_some()
    })
}

fn is_required_field(line: &str) -> bool {
    let mark = heading_mark(line).unwrap_or_default();
    let field = line.get(mark..).and_then(entry_field);
    matches!(field, Some(Field::Name | Field::Description))
}

/// The end at `line` if it starts with three hyphens.
fn delimiter(line: Line<'_>) -> Option<AssumedEnd> {
    let hyphens = line.text.trim_start().strip_prefix("---")?;
    let after = hyphens.trim_start_matches('-').trim_start();
    let exact = line.text.trim_end_matches([' ', '\t']) == "---";
    Some(AssumedEnd {
        end: line.start,
        body: if after.is_empty() {
            line.next
        } else {
            line.end() - after.len()
        },
        line: line.span(),
        kind: if exact {
            EndKind::Delimiter
        } else {
            EndKind::Malformed
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, frontmatter: &str, body: &str, kind: EndKind) {
        let end = assumed_end(text).unwrap_or_else(|| panic!("no end: {text:?}"));
        assert_eq!(text.get(..end.end), Some(frontmatter), "{text:?}");
        assert_eq!(text.get(end.body..), Some(body), "{text:?}");
        assert_eq!(end.kind, kind, "{text:?}");
    }

    #[test]
    fn heading_ends_fields() {
        check("name: a\n# T\n", "name: a\n", "# T\n", EndKind::Missing);
        check("name: a\n\n# T\n", "name: a\n", "\n# T\n", EndKind::Missing);
        let comment = "name: a\n# about\ntags: b\n# T\n";
        check(
            comment,
            "name: a\n# about\ntags: b\n",
            "# T\n",
            EndKind::Missing,
        );
    }

    #[test]
    fn text_after_a_blank_line_ends_fields() {
        check(
            "name: a\n\nText\n",
            "name: a\n",
            "\nText\n",
            EndKind::Missing,
        );
        let sentence = "name: a\n\nNote: read it\n";
        check(sentence, "name: a\n", "\nNote: read it\n", EndKind::Missing);
        let spaced = "name: a\n\ndescription: b\n\nText\n";
        check(
            spaced,
            "name: a\n\ndescription: b\n",
            "\nText\n",
            EndKind::Missing,
        );
    }

    #[test]
    fn malformed_delimiter_ends_fields() {
        check("name: a\n ---\nT\n", "name: a\n", "T\n", EndKind::Malformed);
        check(
            "name: a\n---# T\n",
            "name: a\n",
            "# T\n",
            EndKind::Malformed,
        );
        check(
            "name: a\n-----\nT\n",
            "name: a\n",
            "T\n",
            EndKind::Malformed,
        );
        check("name: a\n---\nT\n", "name: a\n", "T\n", EndKind::Delimiter);
    }

    #[test]
    fn block_scalars_have_no_end() {
        let text = "name: a\nd: |\n  one\n\n  ---\n  # x\n\n\n# T\n";
        check(
            text,
            "name: a\nd: |\n  one\n\n  ---\n  # x\n",
            "\n\n# T\n",
            EndKind::Missing,
        );
    }

    #[test]
    fn fields_without_an_end_are_not_guessed_at() {
        for text in ["", "name: a\n", "name: a\n\n", "\n\nText\n", "x: y\n# T\n"] {
            assert_eq!(assumed_end(text), None, "{text:?}");
        }
    }
}
