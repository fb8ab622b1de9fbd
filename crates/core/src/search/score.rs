//! Which skills come first.

use super::expand::{Term, terms};
use super::index::{Document, Hit, SearchIndex};
use super::postings::{Counts, Field};

/// The weights. Tuned on the tuning half of the labelled tasks of the benchmark `search`.
pub(super) mod weights {
    /// An occurrence in the name, the description, the keywords and the body.
    pub(crate) const FIELDS: [f32; 4] = [2.5, 2.0, 4.0, 1.0];
    /// The binary logarithm of a number of occurrences: long bodies repeat themselves.
    pub(crate) const REPEATED: [f32; 16] = [
        0.0, 1.0, 1.58, 2.0, 2.32, 2.58, 2.81, 3.0, 3.17, 3.32, 3.46, 3.58, 3.7, 3.81, 3.91, 4.0,
    ];
    /// How much a long field reduces the weight of its words: 0 for none, 1 for proportional.
    pub(crate) const LENGTH: [f32; 4] = [0.3, 0.2, 0.3, 0.5];
    /// Where further occurrences of a word begin to add little.
    pub(crate) const SATURATION: f32 = 1.2;
    /// A word found in another form.
    pub(crate) const SAME_STEM: f32 = 0.8;
    /// A word that begins with the one being typed, which itself does not occur.
    pub(crate) const COMPLETED: f32 = 0.6;
    /// A word that begins with the one being typed, which also occurs by itself.
    pub(crate) const COMPLETED_BESIDE: f32 = 0.05;
    /// A word one edit away.
    pub(crate) const GUESSED_ONE: f32 = 0.8;
    /// A word two edits away.
    pub(crate) const GUESSED_TWO: f32 = 0.5;
    /// The halves of a word that was written without a gap.
    pub(crate) const SPLIT: f32 = 0.6;
    /// Added when the query is the name: more than any words can reach.
    pub(crate) const IS_NAME: f32 = 1000.0;
    /// Added when the query is the whole id.
    pub(crate) const IS_ID: f32 = 2000.0;
}

/// For each skill, the weight of one occurrence in each field: the weight of the field over its relative length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Norms(Vec<[f32; 4]>);

impl Norms {
    pub(super) fn new(documents: &[Document]) -> Self {
        let mut totals = [0_u64; 4];
        for document in documents {
            for (total, length) in totals.iter_mut().zip(document.lengths) {
                *total += u64::from(length);
            }
        }
        let averages = totals.map(|total| real(total) / real(documents.len() as u64).max(1.0));
        let norm = |document: &Document| {
            let mut norms = weights::FIELDS;
            let fields = document.lengths.iter().zip(averages).zip(weights::LENGTH);
            for (norm, ((&length, average), strength)) in norms.iter_mut().zip(fields) {
                let relative = real(u64::from(length)) / average.max(1.0);
                *norm /= 1.0 - strength + strength * relative;
            }
            norms
        };
        Self(documents.iter().map(norm).collect())
    }

    /// The weighted number of occurrences in one skill; none for a skill that does not exist.
    fn occurrences(&self, document: usize, counts: Counts) -> Option<f32> {
        let norms = self.0.get(document)?;
        let count = |field| {
            let count = usize::from(counts.get(field));
            weights::REPEATED.get(count).copied().unwrap_or_default()
        };
        Some(
            norms
                .iter()
                .zip(Field::ALL)
                .map(|(norm, field)| norm * count(field))
                .sum(),
        )
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rank needs no more than seven digits"
)]
fn real(number: u64) -> f32 {
    number as f32
}

/// Whether a text is another one that is in lower case.
fn is(text: &str, lower: &str) -> bool {
    text.len() == lower.len() && text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

/// The name after the last slash of an id, if it has this length. Called for every skill, so it checks one byte first.
fn last_segment(id: &str, length: usize) -> Option<&str> {
    let start = id.len().checked_sub(length)?;
    let begins = start == 0 || id.as_bytes().get(start - 1) == Some(&b'/');
    begins.then(|| id.get(start..)).flatten()
}

impl SearchIndex {
    /// The skills that fit a query, the best first, at most `limit`.
    ///
    /// A skill whose id or name is the query comes before all others. Equal scores are in order of id. The last
    /// word of a query that ends in a letter may be unfinished.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        self.search_among(query, limit, |_| true).0
    }

    /// The same among the skills whose id `is_wanted`; also returns how many there are without the limit.
    pub fn search_among(
        &self,
        query: &str,
        limit: usize,
        is_wanted: impl Fn(&str) -> bool,
    ) -> (Vec<Hit<'_>>, usize) {
        let mut scores = vec![0.0_f32; self.documents.len()];
        let mut board = vec![0.0_f32; self.documents.len()];
        let mut touched = Vec::new();
        for term in terms(&self.lexicon, query) {
            self.count(&term, &mut board, &mut touched);
            let found = real(touched.len() as u64);
            let rarity =
                (1.0 + (real(self.documents.len() as u64) - found + 0.5) / (found + 0.5)).ln();
            for document in touched.drain(..) {
                if let (Some(count), Some(score)) =
                    (board.get_mut(document), scores.get_mut(document))
                {
                    *score += term.weight * rarity * *count / (weights::SATURATION + *count);
                    *count = 0.0;
                }
            }
        }
        self.put_names_first(query, &mut scores);
        self.best(&scores, limit, is_wanted)
    }

    /// Adds the weighted occurrences of a term to `board`, and their positions to `touched`.
    fn count(&self, term: &Term, board: &mut [f32], touched: &mut Vec<usize>) {
        for (word, factor) in &term.words {
            for posting in self.lexicon.postings(*word) {
                let Ok(document) = usize::try_from(posting.document) else {
                    continue;
                };
                if let (Some(occurrences), Some(count)) = (
                    self.norms.occurrences(document, posting.counts),
                    board.get_mut(document),
                ) {
                    if *count == 0.0 {
                        touched.push(document);
                    }
                    *count += factor * occurrences;
                }
            }
        }
    }

    fn put_names_first(&self, query: &str, scores: &mut [f32]) {
        let query = query.trim().to_lowercase();
        let name = query.split_whitespace().collect::<Vec<_>>().join("-");
        if name.is_empty() {
            return;
        }
        for (document, score) in self.documents.iter().zip(scores) {
            if is(&document.id, &query) {
                *score += weights::IS_ID;
            } else if last_segment(&document.id, name.len()).is_some_and(|last| is(last, &name)) {
                *score += weights::IS_NAME;
            }
        }
    }

    fn best(
        &self,
        scores: &[f32],
        limit: usize,
        is_wanted: impl Fn(&str) -> bool,
    ) -> (Vec<Hit<'_>>, usize) {
        let mut hits: Vec<_> = self
            .documents
            .iter()
            .zip(scores)
            .filter(|(document, score)| **score > 0.0 && is_wanted(&document.id))
            .map(|(document, score)| Hit {
                id: &document.id,
                score: *score,
            })
            .collect();
        let count = hits.len();
        let order = |left: &Hit<'_>, right: &Hit<'_>| {
            (right.score.total_cmp(&left.score)).then_with(|| left.id.cmp(right.id))
        };
        if limit < hits.len() {
            hits.select_nth_unstable_by(limit, order);
            hits.truncate(limit);
        }
        hits.sort_unstable_by(order);
        (hits, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::IndexedSkill;

    fn index() -> SearchIndex {
        let skill = |id, description, keywords, body| IndexedSkill {
            id,
            description,
            keywords,
            body: Some(body),
            stamp: 1,
        };
        let skills = [
            skill(
                "docs/pdf-forms",
                "Fills in forms.",
                vec!["acroform"],
                "Flatten with qpdf.",
            ),
            skill(
                "docs/pdf-merge",
                "Joins files.",
                vec![],
                "Keeps bookmarks and outlines.",
            ),
            skill(
                "pdf",
                "Reads text.",
                vec![],
                "Also tables, forms, forms and more forms.",
            ),
            skill(
                "ops/kubernetes-debug",
                "Finds out why pods restart.",
                vec![],
                "CrashLoopBackOff",
            ),
            skill(
                "ops/helm",
                "Charts for Kubernetes.",
                vec![],
                "Edit values.yaml.",
            ),
            skill("a/twin", "Twins.", vec![], ""),
            skill("b/twin", "Twins.", vec![], ""),
            skill("zh/report", "生成数据库报告。", vec![], ""),
        ];
        SearchIndex::empty().update(skills).0
    }

    fn check(query: &str, expected: &[&str]) {
        let index = index();
        let hits: Vec<_> = index.search(query, 10).iter().map(|hit| hit.id).collect();
        assert_eq!(hits, expected, "{query:?}");
    }

    #[test]
    fn empty_queries_and_results() {
        check("", &[]);
        check("  ?! ", &[]);
        check("the", &[]);
        check("xylophone ", &[]);
        assert!(SearchIndex::empty().search("pdf", 10).is_empty());
        assert!(index().search("pdf", 0).is_empty());
    }

    #[test]
    fn every_field_counts() {
        check("merge", &["docs/pdf-merge"]);
        check("joining", &["docs/pdf-merge"]);
        check("acroform", &["docs/pdf-forms"]);
        check("outline", &["docs/pdf-merge"]);
        check("crash", &["ops/kubernetes-debug"]);
        check("form", &["docs/pdf-forms", "pdf"]);
    }

    #[test]
    fn a_name_comes_first() {
        check("PDF", &["pdf", "docs/pdf-forms", "docs/pdf-merge"]);
        check("helm", &["ops/helm"]);
        check("pdf merge", &["docs/pdf-merge", "pdf", "docs/pdf-forms"]);
        check(
            " docs/pdf-merge ",
            &["docs/pdf-merge", "docs/pdf-forms", "pdf"],
        );
    }

    #[test]
    fn ties_are_in_order_of_id() {
        check("twin", &["a/twin", "b/twin"]);
        assert_eq!(index().search("twin", 1)[0].id, "a/twin");
    }

    #[test]
    fn typos_in_names() {
        check("kuberntes ", &["ops/kubernetes-debug", "ops/helm"]);
        check("debgu ", &["ops/kubernetes-debug"]);
        check("hlem ", &["ops/helm"]);
        check("hem ", &[]);
        check("qpfd ", &[]);
    }

    #[test]
    fn the_last_word_may_be_unfinished() {
        check("boo", &["docs/pdf-merge"]);
        check("bo", &[]);
        check("boo ", &[]);
        check("boo outlines", &["docs/pdf-merge"]);
    }

    #[test]
    fn words_written_together() {
        check("pdfmerge ", &["docs/pdf-merge", "pdf", "docs/pdf-forms"]);
    }

    #[test]
    fn text_without_spaces() {
        check("数据库", &["zh/report"]);
        check("库", &["zh/report"]);
        check("英", &[]);
    }
}
