//! Text with some edits applied, and the way back to where things stood before them.

use crate::diagnostic::Edit;
use crate::span::Span;

/// Edited text that remembers where its bytes came from.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// A stretch of the edited text: copied as it was, or put in by an edit.
#[derive(Debug)]
struct Piece {
    start: usize,
    origin: Span,
    kind: PieceKind,
}

#[derive(Clone, Copy, Debug)]
enum PieceKind {
    Copied,
    /// Inserted by an edit: it has no position in the original.
    Inserted,
}

impl Edited {
    /// Applies `edits` to `text`. They are sorted first; one that overlaps an earlier one is left out.
    pub(crate) fn new(text: &str, edits: &[Edit]) -> Self {
        let mut sorted: Vec<&Edit> = edits.iter().collect();
        sorted.sort_by_key(|edit| edit.span);
        let mut edited = Self {
            text: String::with_capacity(text.len() + 16),
            pieces: Vec::with_capacity(2 * sorted.len() + 1),
        };
        let mut at = 0;
        for edit in sorted {
            let fits = edit.span.start >= at
                && text.is_char_boundary(edit.span.start)
                && text.is_char_boundary(edit.span.end);
            if fits {
                let between = Span::new(at, edit.span.start);
                edited.push(between, between.slice(text), PieceKind::Copied);
                edited.push(edit.span, &edit.text, PieceKind::Inserted);
                at = edit.span.end;
            }
        }
        let rest = Span::new(at, text.len());
        edited.push(rest, rest.slice(text), PieceKind::Copied);
        edited
    }

    fn push(&mut self, origin: Span, text: &str, kind: PieceKind) {
        self.pieces.push(Piece {
            start: self.text.len(),
            origin,
            kind,
        });
        self.text.push_str(text);
    }

    /// Where the byte at `offset` of the edited text stood.
    pub(crate) fn origin(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        let piece = after
            .checked_sub(1)
            .and_then(|index| self.pieces.get(index));
        piece.map_or(offset, |piece| match piece.kind {
            PieceKind::Copied => {
                (piece.origin.start + (offset - piece.start)).min(piece.origin.end)
            }
            PieceKind::Inserted => piece.origin.start,
        })
    }
}

/// `text` with `edits` applied; one that overlaps an earlier one is left out.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    Edited::new(text, edits).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_through_edits() {
        let edits = [
            Edit::new(Span::new(3, 4), "  "),
            Edit::new(Span::at(6), "'"),
        ];
        let edited = Edited::new("ab\n\tcde", &edits);
        assert_eq!(edited.text, "ab\n  cd'e");
        let origins: Vec<usize> = (0..edited.text.len()).map(|at| edited.origin(at)).collect();
        assert_eq!(origins, [0, 1, 2, 3, 3, 4, 5, 6, 6]);
    }

    #[test]
    fn overlapping_edits_are_left_out() {
        let edits = [
            Edit::new(Span::new(0, 2), "x"),
            Edit::new(Span::new(1, 3), "y"),
        ];
        assert_eq!(apply_edits("abc", &edits), "xc");
    }
}
