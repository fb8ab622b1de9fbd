//! When each piece of a picture can be seen.

use std::collections::BTreeMap;

/// Milliseconds from which to which something is seen.
pub(super) type Span = (u64, u64);

/// Pieces of a picture in the order in which they first appear, each with when it is there.
#[derive(Default)]
pub(super) struct Timeline {
    pieces: Vec<(String, Vec<Span>)>,
    places: BTreeMap<String, usize>,
}

impl Timeline {
    /// A piece is seen; times only go forward.
    pub(super) fn add(&mut self, piece: String, (from, to): Span) {
        let place = *self.places.entry(piece.clone()).or_insert_with(|| {
            self.pieces.push((piece, Vec::new()));
            self.pieces.len() - 1
        });
        let Some((_, spans)) = self.pieces.get_mut(place) else {
            return;
        };
        match spans.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => spans.push((from, to)),
        }
    }

    /// The pieces by when they are seen, in the order in which they first appear.
    pub(super) fn groups(&self) -> Vec<(&[Span], Vec<&str>)> {
        let mut groups: Vec<(&[Span], Vec<&str>)> = Vec::new();
        let mut places: BTreeMap<&[Span], usize> = BTreeMap::new();
        for (piece, spans) in &self.pieces {
            let place = *places.entry(spans).or_insert_with(|| {
                groups.push((spans, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, pieces)) = groups.get_mut(place) {
                pieces.push(piece);
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_are_one_and_pieces_share_them() {
        let mut timeline = Timeline::default();
        for (piece, from, to) in [
            ("a", 0, 5),
            ("b", 0, 5),
            ("a", 5, 9),
            ("c", 5, 9),
            ("b", 9, 12),
            ("d", 5, 9),
        ] {
            timeline.add(piece.to_owned(), (from, to));
        }
        assert_eq!(
            timeline.groups(),
            [
                ([(0, 9)].as_slice(), vec!["a"]),
                ([(0, 5), (9, 12)].as_slice(), vec!["b"]),
                ([(5, 9)].as_slice(), vec!["c", "d"]),
            ]
        );
    }
}
