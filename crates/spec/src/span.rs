//! Byte ranges of a source file, and where they lie in lines and columns.

use serde::Serialize;

/// A half-open range of bytes in the original file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// An empty range at `offset`.
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The same range, `by` bytes further on.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self::new(self.start + by, self.end + by)
    }

    /// The text under the range, or nothing when it does not fit `text`.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A place as people count it: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte offset, from 0.
    pub byte: usize,
}

/// Finds lines and columns of byte offsets; built once for a file with something to report.
#[derive(Debug)]
pub struct LineIndex<'s> {
    bytes: &'s [u8],
    starts: Vec<usize>,
}

impl<'s> LineIndex<'s> {
    /// Indexes the line starts of `bytes`, which need not be UTF-8.
    pub fn new(bytes: &'s [u8]) -> Self {
        let after_breaks = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        Self {
            bytes,
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// The position of `offset`; an offset past the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let byte = offset.min(self.bytes.len());
        let line = self.starts.partition_point(|start| *start <= byte);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied()
            .unwrap_or_default();
        let before = self.bytes.get(start..byte).unwrap_or_default();
        let mut column = before
            .iter()
            .filter(|byte| !is_continuation(**byte))
            .count();
        // The mark at the head of a file has no width for the reader.
        if start == 0 && before.starts_with(BYTE_ORDER_MARK) {
            column -= 1;
        }
        Position {
            line,
            column: column + 1,
            byte,
        }
    }
}

/// The UTF-8 byte order mark.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: usize, line: usize, column: usize) {
        let position = LineIndex::new(text.as_bytes()).position(offset);
        assert_eq!(
            (position.line, position.column),
            (line, column),
            "{text:?} at {offset}"
        );
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        check("", 0, 1, 1);
        check("abc", 2, 1, 3);
        check("abc\n", 4, 2, 1);
        check("a\r\nbc", 4, 2, 2);
        check("é日x", 5, 1, 3);
        check("\u{feff}---", 3, 1, 1);
        check("ab", 99, 1, 3);
    }
}
