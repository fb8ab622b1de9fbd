//! Lines and columns of ascending offsets, in one pass.

use prowess_spec::Position;

/// Walks a text once; asking for a column of a very long line again and again stays cheap.
pub(crate) struct Places<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            column: 1,
        }
    }

    /// The position of `offset`, which must not be before the previous one.
    pub(crate) fn advance(&mut self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset).max(self.at);
        let passed = self.text.get(self.at..offset).unwrap_or_default();
        let breaks = memchr::memchr_iter(b'\n', passed.as_bytes()).count();
        self.line += breaks;
        if let Some((_, last)) = passed.rsplit_once('\n') {
            self.column = 1 + last.chars().count();
        } else {
            self.column += passed.chars().count();
            // The mark at the head of a file has no width for the reader.
            self.column -= usize::from(self.at == 0 && passed.starts_with('\u{feff}'));
        }
        self.at = offset;
        Position {
            line: self.line,
            column: self.column,
            byte: offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use prowess_spec::LineIndex;

    use super::*;

    #[test]
    fn the_same_as_the_index_of_the_format() {
        let text = "\u{feff}é日x\r\nabc\n\n d";
        let index = LineIndex::new(text.as_bytes());
        let mut places = Places::new(text);
        for (offset, _) in text.char_indices() {
            assert_eq!(places.advance(offset), index.position(offset));
        }
        assert_eq!(places.advance(99), index.position(99));
    }
}
