//! The lines of frontmatter that does not have to be valid YAML: keys, values and block scalars.

use std::ops::Range;

use crate::field::Field;
use crate::span::Span;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'s> {
    pub(crate) start: usize,
    /// Without the line break.
    pub(crate) text: &'s str,
    /// Where the next line starts.
    pub(crate) next: usize,
}

impl Line<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.end())
    }

    pub(crate) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

pub(crate) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let mut at = range.start;
    text.get(range)
        .unwrap_or_default()
        .split_inclusive('\n')
        .map(move |raw| {
            let start = at;
            at += raw.len();
            let text = raw.strip_suffix('\n').unwrap_or(raw);
            let text = text.strip_suffix('\r').unwrap_or(text);
            Line {
                start,
                text,
                next: at,
            }
        })
}

/// The ranges of the top-level entries: each from a `key:` line to the next.
pub(crate) fn entries(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = lines(text, 0..text.len())
        .filter(|line| entry_key(line.text).is_some())
        .map(|line| line.start)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

/// The length of the key when `line` begins with one and a colon.
pub(crate) fn entry_key(line: &str) -> Option<usize> {
    let key = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_-. ".contains(c));
    let length = line.len() - key.len();
    let colon = key.strip_prefix(':')?;
    let separated = colon.is_empty() || colon.starts_with([' ', '\t']);
    (separated && line.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        .then_some(length)
}

/// The field whose key `line` begins with, in any spelling.
pub(crate) fn entry_field(line: &str) -> Option<Field> {
    Field::loosely(line.get(..entry_key(line)?)?)
}

/// The length of the Markdown heading mark in front of a field, as in `## name: pdf`.
///
/// One `#` is a comment: it hides a field on purpose.
pub(crate) fn heading_mark(line: &str) -> Option<usize> {
    let after = line.strip_prefix("##")?.trim_start_matches('#');
    let field = after.trim_start_matches([' ', '\t']);
    let separated = field.len() < after.len();
    (separated && entry_field(field).is_some()).then(|| line.len() - field.len())
}

/// Where the value begins in a line `key: value`, `- value` or `- key: value`.
pub(crate) fn value_offset(line: &str) -> Option<usize> {
    let content = line.trim_start_matches([' ', '\t']);
    let dashed = content.strip_prefix("- ").map(str::trim_start);
    let item = dashed.unwrap_or(content);
    let start = line.len() - item.len();
    match entry_key(item) {
        Some(key) => {
            let value = item.get(key + 1..)?;
            Some(line.len() - value.trim_start().len())
        }
        None => dashed.map(|_| start),
    }
}

pub(crate) fn is_block_header(value: &str) -> bool {
    value.strip_prefix(['|', '>']).is_some_and(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
        rest.is_empty() || rest.starts_with(" #") || rest.trim().is_empty()
    })
}

/// Tells the text of block scalars from other lines.
#[derive(Debug, Default)]
pub(crate) struct BlockScalars {
    /// The least indentation of the text, while a block goes on.
    indent: Option<usize>,
    /// The line before is the header of the block.
    starts: bool,
}

impl BlockScalars {
    /// Whether `line` is text of a block scalar. Every line is asked about, in order.
    pub(crate) fn contain(&mut self, line: Line<'_>) -> bool {
        if let Some(least) = self.indent {
            if line.is_blank() {
                return true;
            }
            if line.indent() >= least {
                if self.starts {
                    self.indent = Some(line.indent());
                    self.starts = false;
                }
                return true;
            }
        }
        let value = value_offset(line.text).and_then(|at| line.text.get(at..));
        self.starts = value.is_some_and(is_block_header);
        self.indent = self.starts.then(|| line.indent() + 1);
        false
    }
}
