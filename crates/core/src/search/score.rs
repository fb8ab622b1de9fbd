//! Which skills come into question: BM25 over fields.

use super::expand::Term;
use super::index::SearchIndex;
use super::lexicon::wide;
use super::postings::{Counts, Field};
use super::segment::Document;

/// The weights. Tuned on the tuning half of the labelled tasks of the benchmark `search`.
mod weights {
    use super::Field;

    /// An occurrence in the name, the description, the "when to use" part, the keywords and the body.
    pub(super) const FIELDS: [f32; Field::COUNT] = [2.5, 2.0, 0.2, 4.0, 0.8];
    /// What a count in a body is worth: long bodies repeat themselves.
    pub(super) const REPEATED: [f32; 8] = [0.0, 1.0, 1.6, 2.3, 3.2, 3.9, 4.2, 4.4];
    /// How much a long field reduces the weight of its words: 0 for none, 1 for proportional.
    pub(super) const LENGTH: [f32; Field::COUNT] = [0.3, 0.5, 0.0, 0.3, 0.9];
    /// Where further occurrences of a word begin to add little.
    pub(super) const SATURATION: f32 = 1.2;
}

/// For each skill, the weight of one occurrence in each field: the weight of the field over its relative length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Norms {
    averages: [f32; Field::COUNT],
    documents: Vec<[f32; Field::COUNT]>,
}

impl Norms {
    pub(super) fn new(documents: &[Document], relative_to: Option<&Self>) -> Self {
        let averages = relative_to.map_or_else(|| averages(documents), |norms| norms.averages);
        let norm = |document: &Document| {
            let mut norms = weights::FIELDS;
            let fields = document.lengths.iter().zip(averages).zip(weights::LENGTH);
            for (norm, ((&length, average), strength)) in norms.iter_mut().zip(fields) {
                let relative = real(length) / average.max(1.0);
                *norm /= 1.0 - strength + strength * relative;
            }
            norms
        };
        Self {
            averages,
            documents: documents.iter().map(norm).collect(),
        }
    }

    /// The weighted number of occurrences in one skill; none for a skill that does not exist.
    fn occurrences(&self, document: usize, counts: Counts) -> Option<f32> {
        let [name, description, when, keywords, body] = self.documents.get(document)?;
        let count = |field| f32::from(counts.get(field));
        let repeated = weights::REPEATED.get(usize::from(counts.get(Field::Body)));
        Some(
            name * count(Field::Name)
                + description * count(Field::Description)
                + when * count(Field::When)
                + keywords * count(Field::Keywords)
                + body * repeated.copied().unwrap_or_default(),
        )
    }
}

fn averages(documents: &[Document]) -> [f32; Field::COUNT] {
    let mut totals = [0_u64; Field::COUNT];
    for document in documents {
        for (total, length) in totals.iter_mut().zip(document.lengths) {
            *total += u64::from(length);
        }
    }
    let count = documents.len().max(1) as u64;
    totals.map(|total| real(u32::try_from(total / count).unwrap_or(u32::MAX)))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rank needs no more than seven digits"
)]
pub(super) fn real(number: u32) -> f32 {
    number as f32
}

/// A score for every skill, and how rare each term is.
pub(super) struct Scores {
    pub(super) scores: Vec<f32>,
    pub(super) rarities: Vec<f32>,
}

impl SearchIndex {
    pub(super) fn scores(&self, terms: &[Term]) -> Scores {
        let numbers = self.numbers();
        let total = real(super::lexicon::narrow(self.len()));
        let mut scores = vec![0.0_f32; numbers];
        let mut board = vec![0.0_f32; numbers];
        let mut touched = Vec::new();
        let mut rarities = Vec::with_capacity(terms.len());
        for term in terms {
            self.count(term, &mut board, &mut touched);
            let found = real(super::lexicon::narrow(touched.len())).min(total);
            let rarity = (1.0 + (total - found + 0.5) / (found + 0.5)).ln();
            rarities.push(rarity);
            for document in touched.drain(..) {
                if let (Some(count), Some(score)) =
                    (board.get_mut(document), scores.get_mut(document))
                {
                    *score += term.weight * rarity * *count / (weights::SATURATION + *count);
                    *count = 0.0;
                }
            }
        }
        for position in self.dead.iter() {
            if let Some(score) = scores.get_mut(wide(*position)) {
                *score = 0.0;
            }
        }
        Scores { scores, rarities }
    }

    /// Adds the weighted occurrences of a term to `board`, and their positions to `touched`.
    fn count(&self, term: &Term, board: &mut [f32], touched: &mut Vec<usize>) {
        let parts = self.parts();
        for word in &term.words {
            let Some((first, segment)) = parts.get(word.part) else {
                continue;
            };
            for posting in segment.lexicon.postings(word.number) {
                let position = wide(posting.document);
                if let (Some(occurrences), Some(count)) = (
                    segment.norms.occurrences(position, posting.counts),
                    board.get_mut(first + position),
                ) {
                    if *count == 0.0 {
                        touched.push(first + position);
                    }
                    *count += word.factor * occurrences;
                }
            }
        }
    }
}
