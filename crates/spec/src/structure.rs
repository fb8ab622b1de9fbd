//! Repairs of frontmatter whose lines are not the lines of a mapping.
//!
//! Each function returns diagnostics whose fixes, applied together, make it one. Spans are offsets in the text.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::entry::{BlockScalars, Line, entry_field, heading_mark, lines, value_offset};
use crate::field::Field;
use crate::levels::Levels;
use crate::span::Span;

/// Takes the first side of every merge conflict; nothing if a marker is missing.
pub(crate) fn conflicts(text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut open: Option<Conflict<'_>> = None;
    for line in lines(text, 0..text.len()) {
        let Some(marker) = conflict_marker(line.text) else {
            continue;
        };
        match (marker, &mut open) {
            (ConflictMarker::Ours, None) => {
                open = Some(Conflict {
                    marker: line,
                    other: None,
                    has_theirs: false,
                });
            }
            (ConflictMarker::Base, Some(conflict)) if conflict.other.is_none() => {
                conflict.other = Some(line.start);
            }
            (ConflictMarker::Theirs, Some(conflict)) if !conflict.has_theirs => {
                conflict.other.get_or_insert(line.start);
                conflict.has_theirs = true;
            }
            (ConflictMarker::End, Some(conflict)) if conflict.has_theirs => {
                found.push(conflict.take_ours(line));
                open = None;
            }
            // Underlines a heading in Markdown.
            (ConflictMarker::Theirs, None) => {}
            _ => return Vec::new(),
        }
    }
    if open.is_some() { Vec::new() } else { found }
}

/// The first conflict marker.
pub(crate) fn first_conflict(text: &str) -> Option<Span> {
    lines(text, 0..text.len())
        .find(|line| conflict_marker(line.text).is_some())
        .map(|line| line.span())
}

struct Conflict<'s> {
    marker: Line<'s>,
    /// Where the other sides start.
    other: Option<usize>,
    has_theirs: bool,
}

impl Conflict<'_> {
    fn take_ours(&self, end: Line<'_>) -> Diagnostic {
        let other = self.other.unwrap_or(end.start);
        Diagnostic::new(
            Code::MergeConflict,
            self.marker.span(),
            "unresolved merge conflict; the first side is used",
        )
        .help("keep one side and remove the markers")
        .fix(vec![
            Edit::new(Span::new(self.marker.start, self.marker.next), ""),
            Edit::new(Span::new(other, end.next), ""),
        ])
    }
}

#[derive(Clone, Copy)]
enum ConflictMarker {
    Ours,
    Base,
    Theirs,
    End,
}

fn conflict_marker(line: &str) -> Option<ConflictMarker> {
    let markers = [
        ("<<<<<<<", ConflictMarker::Ours),
        ("|||||||", ConflictMarker::Base),
        ("=======", ConflictMarker::Theirs),
        (">>>>>>>", ConflictMarker::End),
    ];
    markers.into_iter().find_map(|(text, marker)| {
        let label = line.strip_prefix(text)?;
        (label.is_empty() || label.starts_with([' ', '\t'])).then_some(marker)
    })
}

/// Removes the heading marks in front of fields, if the description has one and stands nowhere else.
///
/// Without a description there is no skill; a name may come from the directory.
pub(crate) fn headings_as_keys(text: &str) -> Vec<Diagnostic> {
    let all = || lines(text, 0..text.len());
    let is_description = |line: &str| entry_field(line) == Some(Field::Description);
    let marked: Vec<(usize, Line<'_>)> = all()
        .filter_map(|line| Some((heading_mark(line.text)?, line)))
        .collect();
    let in_heading = marked
        .iter()
        .any(|(mark, line)| line.text.get(*mark..).is_some_and(is_description));
    if !in_heading || all().any(|line| is_description(line.text)) {
        return Vec::new();
    }
    let report = |(mark, line): &(usize, Line<'_>)| {
        let span = Span::new(line.start, line.start + mark);
        let field = line.text.get(*mark..).unwrap_or_default();
        let key = field.split(':').next().unwrap_or_default();
        Diagnostic::new(
            Code::HeadingAsKey,
            span,
            format!("`{key}` is written as a heading, which is a comment in YAML"),
        )
        .help(format!("write `{key}:` at the start of the line"))
        .fix(vec![Edit::new(span, "")])
    };
    marked.iter().map(report).collect()
}

/// Takes the mapping out of a list that has no other item.
pub(crate) fn list_of_one(text: &str) -> Vec<Diagnostic> {
    list_item(text).into_iter().collect()
}

fn list_item(text: &str) -> Option<Diagnostic> {
    let is_content = |line: &Line<'_>| !line.is_blank() && !line.text.starts_with('#');
    let mut rest = lines(text, 0..text.len()).filter(is_content);
    let first = rest.next()?;
    let item = first.text.strip_prefix("- ")?.trim_start_matches(' ');
    entry_field(item)?;
    let width = first.text.len() - item.len();
    let start = Span::new(first.start, first.start + width);
    let mut edits = vec![Edit::new(start, "")];
    for line in rest {
        let blanks = line.text.len() - line.text.trim_start_matches(' ').len();
        if line.indent() == 0 {
            return None;
        }
        let removed = Span::new(line.start, line.start + blanks.min(width));
        edits.push(Edit::new(removed, ""));
    }
    Some(
        Diagnostic::new(Code::NotAMapping, start, "the fields are an item of a list")
            .help("remove the `- ` and the indentation below it")
            .levels(Levels::TOLERATED)
            .fix(edits),
    )
}

/// Indents the lines of quoted text that spans several lines, as YAML requires below a key.
pub(crate) fn unindented_text(text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut blocks = BlockScalars::default();
    let mut quoted_until = 0;
    for line in lines(text, 0..text.len()) {
        if line.start < quoted_until || blocks.contain(line) {
            continue;
        }
        let value_at = value_offset(line.text).unwrap_or(line.indent());
        let Some(end) = quote_end(text, line.start + value_at, line.next) else {
            continue;
        };
        quoted_until = end;
        let required = line.indent() + 1;
        let unindented: Vec<Line<'_>> = lines(text, line.next..end)
            .filter(|line| !line.is_blank() && line.indent() < required)
            .collect();
        if let Some(first) = unindented.first() {
            let blanks = " ".repeat(required + 1);
            let edits = unindented
                .iter()
                .map(|line| Edit::new(Span::at(line.start), blanks.as_str()));
            found.push(
                Diagnostic::new(
                    Code::UnindentedText,
                    first.span(),
                    "this line belongs to quoted text and is not indented",
                )
                .help("indent every line of the text, or write it on one line")
                .fix(edits.collect()),
            );
        }
    }
    found
}

/// The end of quoted text that starts at `start` and goes on after `line_end`, if nothing but a comment follows it.
fn quote_end(text: &str, start: usize, line_end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mark = *bytes
        .get(start)
        .filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut at = start + 1;
    loop {
        let rest = bytes.get(at..)?;
        at += memchr::memchr2(mark, b'\\', rest)?;
        let escape = match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'\\', _) => mark == b'"',
            (_, Some(next)) => mark == b'\'' && *next == mark,
            (_, None) => false,
        };
        if escape {
            at += 2;
        } else if bytes.get(at) == Some(&b'\\') {
            at += 1;
        } else {
            break;
        }
    }
    let end = at + 1;
    let after = text.get(end..)?.lines().next().unwrap_or_default();
    let blank = after.starts_with([' ', '\t']);
    let comment = blank && after.trim_start().starts_with('#');
    ((comment || after.trim().is_empty()) && end > line_end).then_some(end)
}

#[cfg(test)]
#[path = "structure_tests.rs"]
mod tests;
