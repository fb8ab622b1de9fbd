//! Searching: candidates, their order, and what it is made of.

use super::expand::terms;
use super::features::{Examiner, Features, NAMES};
use super::index::{Hit, SearchIndex};
use super::lexicon::narrow;
use super::ranker::{contributions, fit, length};

/// Skills whose order is decided by all features; those after them stay in the order of BM25.
const CANDIDATES: usize = 100;
/// Above what any features reach: the query is the name, or the whole id.
pub(super) const IS_NAME: f32 = 100.0;
const IS_ID: f32 = 200.0;
/// Between candidates and all others.
const IS_CANDIDATE: f32 = 10.0;

/// A skill that was found, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedHit<'a> {
    /// Its id.
    pub id: &'a str,
    /// Higher is better.
    pub score: f32,
    /// Everything that counted.
    pub features: Vec<FeatureValue>,
}

/// One thing that speaks for or against a skill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureValue {
    /// Its name.
    pub name: &'static str,
    /// How strong it is, mostly from 0 to 1.
    pub value: f32,
    /// What it adds to the score.
    pub adds: f32,
}

/// Skills in their order, by number.
pub(super) struct Order {
    pub(super) ranked: Vec<Ranked>,
    /// How many fit at all.
    pub(super) count: usize,
    terms: usize,
    pub(super) length: f32,
}

#[derive(Clone, Copy)]
pub(super) struct Ranked {
    pub(super) number: usize,
    pub(super) score: f32,
    features: Option<Features>,
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
        let order = self.order(query, limit, &is_wanted);
        let hits = order.ranked.iter().map(|ranked| Hit {
            id: self.id(ranked.number),
            score: ranked.score,
        });
        (hits.collect(), order.count)
    }

    /// The same with every feature of each skill.
    pub fn explain(&self, query: &str, limit: usize) -> Vec<ExplainedHit<'_>> {
        self.explain_all(query, limit).0
    }

    /// The same, and how many words of the query are known: for learning the weights.
    #[doc(hidden)]
    pub fn explain_all(&self, query: &str, limit: usize) -> (Vec<ExplainedHit<'_>>, usize) {
        let order = self.order(query, limit, &|_| true);
        let hits = order.ranked.iter().map(|ranked| ExplainedHit {
            id: self.id(ranked.number),
            score: ranked.score,
            features: explained(ranked, order.length),
        });
        (hits.collect(), order.terms)
    }

    pub(super) fn order(
        &self,
        query: &str,
        limit: usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Order {
        let terms = terms(self, query);
        let mut scores = self.scores(&terms);
        let named = self.named(query);
        for (number, _) in &named {
            if let Some(score) = scores.scores.get_mut(*number) {
                *score = score.max(f32::MIN_POSITIVE);
            }
        }
        let fitting = scores
            .scores
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.0);
        let wanted = fitting.filter(|(number, _)| is_wanted(self.id(*number)));
        let mut ranked: Vec<Ranked> = wanted
            .map(|(number, score)| Ranked {
                number,
                score: *score,
                features: None,
            })
            .collect();
        let count = ranked.len();
        for (number, bonus) in &named {
            if let Some(found) = ranked.iter_mut().find(|it| it.number == *number) {
                found.score += bonus * IS_CANDIDATE;
            }
        }
        self.keep_best(&mut ranked, limit.max(CANDIDATES));

        let mut candidates: Vec<usize> =
            ranked.iter().take(CANDIDATES).map(|it| it.number).collect();
        candidates.sort_unstable();
        let length = length(narrow(terms.len()));
        let examined = Examiner::new(self, &terms, &scores, candidates).features(&scores);
        for ranked in ranked.iter_mut().take(CANDIDATES) {
            let found = examined.binary_search_by_key(&ranked.number, |(number, _)| *number);
            let Some((_, features)) = found.ok().and_then(|at| examined.get(at)) else {
                continue;
            };
            let bonus = named.iter().find(|(number, _)| *number == ranked.number);
            let bonus = bonus.map_or(0.0, |(_, bonus)| *bonus);
            ranked.score = IS_CANDIDATE + fit(features, length).clamp(-9.0, 80.0) + bonus;
            ranked.features = Some(*features);
        }
        for ranked in ranked.iter_mut().skip(CANDIDATES) {
            ranked.score /= 1.0 + ranked.score;
        }
        self.keep_best(&mut ranked, limit);
        Order {
            ranked,
            count,
            terms: terms.len(),
            length,
        }
    }

    /// In order, at most so many.
    fn keep_best(&self, ranked: &mut Vec<Ranked>, limit: usize) {
        let order = |left: &Ranked, right: &Ranked| {
            let by_score = right.score.total_cmp(&left.score);
            by_score.then_with(|| self.id(left.number).cmp(self.id(right.number)))
        };
        if limit < ranked.len() {
            ranked.select_nth_unstable_by(limit, order);
            ranked.truncate(limit);
        }
        ranked.sort_unstable_by(order);
    }

    /// Skills whose name or id is the query.
    fn named(&self, query: &str) -> Vec<(usize, f32)> {
        /// No name is longer.
        const LONGEST: usize = 256;
        let query = query.trim();
        if query.is_empty() || query.len() > LONGEST {
            return Vec::new();
        }
        let query = query.to_lowercase();
        let name = query.split_whitespace().collect::<Vec<_>>().join("-");
        let mut named = Vec::new();
        for (first, segment) in self.parts() {
            for (number, document) in (first..).zip(&segment.documents) {
                if is(&document.id, &query) {
                    named.push((number, IS_ID));
                } else if last_segment(&document.id, name.len()).is_some_and(|last| is(last, &name))
                {
                    named.push((number, IS_NAME));
                }
            }
        }
        let is_dead = |number: usize| self.dead.binary_search(&narrow(number)).is_ok();
        named.retain(|(number, _)| *number >= self.base.len() || !is_dead(*number));
        named
    }
}

pub(super) fn explained(ranked: &Ranked, length: f32) -> Vec<FeatureValue> {
    let Some(features) = ranked.features else {
        return Vec::new();
    };
    let values = NAMES
        .into_iter()
        .zip(features)
        .zip(contributions(&features, length));
    let mut values: Vec<FeatureValue> = values
        .map(|((name, value), adds)| FeatureValue { name, value, adds })
        .collect();
    for (name, bonus) in [("is-id", IS_ID), ("is-name", IS_NAME)] {
        if ranked.score > bonus {
            values.push(FeatureValue {
                name,
                value: 1.0,
                adds: bonus,
            });
            break;
        }
    }
    values
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
            ..IndexedSkill::default()
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
