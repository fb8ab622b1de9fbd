//! Skills and their words, immutable.

use std::sync::Arc;

use super::lexicon::{Lexicon, LexiconEntry, Prominence, narrow, wide};
use super::postings::{Field, Posting, Postings, Writer};
use super::score::Norms;
use super::sketch::Sketch;

/// In the place of a new number: the skill is left out.
pub(super) const DROPPED: u32 = u32::MAX;

/// A part of an index: skills in order of id. A position is the number in the postings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Segment {
    pub(super) documents: Vec<Document>,
    pub(super) lexicon: Lexicon,
    /// Names, descriptions and "when to use" parts as short hashes of stems, one skill after the other.
    pub(super) heads: Vec<u16>,
    pub(super) norms: Norms,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Document {
    pub(super) id: Arc<str>,
    pub(super) stamp: u64,
    pub(super) extent: Extent,
    pub(super) state: State,
    /// Words in each field, in the order of [`Field::ALL`].
    pub(super) lengths: [u32; Field::COUNT],
    /// Where its part of [`Segment::heads`] ends.
    pub(super) head_end: u32,
    pub(super) sketch: Sketch,
}

/// How much of a skill was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Head,
    Whole,
}

/// Whether its author still wants it to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Current,
    Deprecated,
}

impl Segment {
    /// Norms are relative to the lengths of `relative_to`, or of this segment.
    pub(super) fn new(
        documents: Vec<Document>,
        lexicon: Lexicon,
        heads: Vec<u16>,
        relative_to: Option<&Norms>,
    ) -> Self {
        let norms = Norms::new(&documents, relative_to);
        Self {
            documents,
            lexicon,
            heads,
            norms,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Name, description and "when to use" of a skill, with a zero after each.
    pub(super) fn head(&self, position: usize) -> &[u16] {
        let end_of = |position: usize| {
            let document = self.documents.get(position);
            document.map_or(0, |document| wide(document.head_end))
        };
        let start = position.checked_sub(1).map_or(0, end_of);
        self.heads.get(start..end_of(position)).unwrap_or_default()
    }

    pub(super) fn position(&self, id: &str) -> Option<usize> {
        let by_id = |document: &Document| (*document.id).cmp(id);
        self.documents.binary_search_by(by_id).ok()
    }

    /// The same, which is fast if the skill is at `guess`.
    pub(super) fn position_from(&self, guess: usize, id: &str) -> Option<usize> {
        let guessed = self.documents.get(guess);
        if guessed.is_some_and(|document| *document.id == *id) {
            Some(guess)
        } else {
            self.position(id)
        }
    }

    /// The skills of both segments under their new numbers, which ascend with the old ones.
    pub(super) fn join(
        left: (&Self, &[u32]),
        right: (&Self, &[u32]),
        relative_to: Option<&Norms>,
    ) -> Self {
        let mut order: Vec<(u32, &Self, usize)> = Vec::new();
        for (segment, numbers) in [left, right] {
            let kept = numbers
                .iter()
                .zip(0..)
                .filter(|(number, _)| **number != DROPPED);
            order.extend(kept.map(|(number, position)| (*number, segment, position)));
        }
        order.sort_unstable_by_key(|(number, ..)| *number);
        let mut documents = Vec::with_capacity(order.len());
        let mut heads = Vec::new();
        for (_, segment, position) in order {
            let Some(document) = segment.documents.get(position) else {
                continue;
            };
            heads.extend_from_slice(segment.head(position));
            documents.push(Document {
                head_end: narrow(heads.len()),
                ..document.clone()
            });
        }
        let lexicon = merge(left, right);
        Self::new(documents, lexicon, heads, relative_to)
    }
}

/// Numbers for the skills of both segments in order of id. Those of the left one at `dead` positions are left out, and
/// those of the right one whose id the left one has.
pub(super) fn numbers(left: &Segment, dead: &[u32], right: &Segment) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![DROPPED; left.len()];
    let mut second = vec![DROPPED; right.len()];
    let mut next = 0;
    let mut number = || {
        next += 1;
        next - 1
    };
    let mut others = right.documents.iter().zip(&mut second).peekable();
    for ((document, slot), position) in left.documents.iter().zip(&mut first).zip(0..) {
        if dead.binary_search(&position).is_ok() {
            continue;
        }
        while let Some((_, slot)) = others.next_if(|(other, _)| other.id < document.id) {
            *slot = number();
        }
        others.next_if(|(other, _)| other.id == document.id);
        *slot = number();
    }
    for (_, slot) in others {
        *slot = number();
    }
    (first, second)
}

fn merge(left: (&Segment, &[u32]), right: (&Segment, &[u32])) -> Lexicon {
    let mut merged = Lexicon::default();
    let mut add = |entry: &LexiconEntry<'_>, first: &[u8], second: &[u8]| {
        merged.push(entry.stem, entry.word, |bytes| {
            write(bytes, (first, left.1), (second, right.1))
        });
    };
    let mut second = right.0.lexicon.entries().peekable();
    for entry in left.0.lexicon.entries() {
        let key = (entry.stem, entry.word);
        while let Some(other) = second.next_if(|other| (other.stem, other.word) < key) {
            add(&other, &[], other.postings);
        }
        let same = second.next_if(|other| (other.stem, other.word) == key);
        add(
            &entry,
            entry.postings,
            same.map_or(&[], |same| same.postings),
        );
    }
    for other in second {
        add(&other, &[], other.postings);
    }
    merged
}

/// Appends both lists as one, in order, and returns the field with the highest weight.
fn write(bytes: &mut Vec<u8>, left: (&[u8], &[u32]), right: (&[u8], &[u32])) -> Prominence {
    let mut writer = Writer::new(bytes);
    let mut prominence = Prominence::Elsewhere;
    let mut push = |posting: Posting| {
        prominence = prominence.min(Prominence::of(posting.counts));
        writer.push(posting);
    };
    let mut right = renumbered(right).peekable();
    for posting in renumbered(left) {
        while let Some(before) = right.next_if(|other| other.document < posting.document) {
            push(before);
        }
        push(posting);
    }
    right.for_each(push);
    prominence
}

fn renumbered<'a>((bytes, numbers): (&'a [u8], &'a [u32])) -> impl Iterator<Item = Posting> + 'a {
    Postings::new(bytes).filter_map(|posting| {
        let document = *numbers.get(wide(posting.document))?;
        (document != DROPPED).then_some(Posting {
            document,
            ..posting
        })
    })
}
