//! Several queries and other signals, fused by rank; near copies folded into one.

use std::collections::HashMap;

use super::index::SearchIndex;
use super::search::{Ranked, explained};
use super::{ExplainedHit, FeatureValue};

/// Skills of each ranking that are fused, and of a single one that are listed.
const FUSED: usize = 200;
/// The higher, the less the first places of a ranking count beside the next ones.
const SMOOTHING: f32 = 10.0;

/// A search for one task.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchRequest<'a> {
    /// The same need in different words.
    pub queries: &'a [&'a str],
    /// Rankings by something else than the words of skills.
    pub signals: &'a [SignalRanking],
}

/// Skills that a signal speaks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalRanking {
    /// The signal, such as `meaning` or `use`.
    pub name: &'static str,
    /// How much it counts beside one query.
    pub weight: f32,
    /// Ids, the best first.
    pub ids: Vec<String>,
}

/// A skill that was found, with its near copies.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSkill<'a> {
    /// The skill, and why it is here.
    pub hit: ExplainedHit<'a>,
    /// Skills with nearly the same text, which are not listed by themselves.
    pub similar: Vec<&'a str>,
}

struct Fused {
    number: usize,
    score: f32,
    features: Vec<FeatureValue>,
}

impl SearchIndex {
    /// The skills that fit a task and whose id `is_wanted`, the best first: some hundreds at most.
    ///
    /// ```
    /// use prowess_core::{IndexedSkill, SearchIndex, SearchRequest};
    ///
    /// let skill = |id, description| IndexedSkill { id, description, ..IndexedSkill::default() };
    /// let skills = [skill("invoices", "Reads scanned bills."), skill("poems", "Writes poems.")];
    /// let index = SearchIndex::empty().update(skills).0;
    /// let queries = ["OCR of invoices", "scanned bill"];
    /// let found = index.find(&SearchRequest { queries: &queries, signals: &[] }, |_| true);
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(found[0].hit.id, "invoices");
    /// ```
    pub fn find(
        &self,
        request: &SearchRequest<'_>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<FoundSkill<'_>> {
        let orders: Vec<_> = request
            .queries
            .iter()
            .map(|query| self.order(query, FUSED, &is_wanted))
            .collect();
        if let ([order], []) = (orders.as_slice(), request.signals) {
            let hits = order.ranked.iter().map(|ranked| Fused {
                number: ranked.number,
                score: ranked.score,
                features: explained(ranked, order.length),
            });
            return self.folded(hits.collect());
        }
        let mut fused: HashMap<usize, Fused> = HashMap::new();
        let mut add = |number: usize, adds: f32, feature: FeatureValue, more: &[FeatureValue]| {
            let entry = fused.entry(number).or_insert_with(|| Fused {
                number,
                score: 0.0,
                features: Vec::new(),
            });
            entry.score += adds;
            entry.features.push(feature);
            entry.features.extend_from_slice(more);
        };
        for order in &orders {
            for (position, ranked) in order.ranked.iter().take(FUSED).enumerate() {
                let adds = by_rank(position) + if ranked.is_named() { 1.0 } else { 0.0 };
                let feature = rank_feature("query", position, adds);
                add(
                    ranked.number,
                    adds,
                    feature,
                    &explained(ranked, order.length),
                );
            }
        }
        for signal in request.signals {
            let wanted = signal.ids.iter().filter(|id| is_wanted(id));
            let numbers = wanted.filter_map(|id| self.number(id));
            for (position, number) in numbers.take(FUSED).enumerate() {
                let adds = signal.weight * by_rank(position);
                add(number, adds, rank_feature(signal.name, position, adds), &[]);
            }
        }
        let mut fused: Vec<Fused> = fused.into_values().collect();
        fused.sort_unstable_by(|left, right| {
            let by_score = right.score.total_cmp(&left.score);
            by_score.then_with(|| self.id(left.number).cmp(self.id(right.number)))
        });
        self.folded(fused)
    }

    fn folded(&self, fused: Vec<Fused>) -> Vec<FoundSkill<'_>> {
        let mut found: Vec<FoundSkill<'_>> = Vec::new();
        let mut numbers: Vec<usize> = Vec::new();
        for skill in fused {
            let copied = numbers
                .iter()
                .position(|number| self.is_copy(*number, skill.number));
            let id = self.id(skill.number);
            if let Some(first) = copied.and_then(|at| found.get_mut(at)) {
                first.similar.push(id);
                continue;
            }
            numbers.push(skill.number);
            found.push(FoundSkill {
                hit: ExplainedHit {
                    id,
                    score: skill.score,
                    features: skill.features,
                },
                similar: Vec::new(),
            });
        }
        found
    }

    fn is_copy(&self, left: usize, right: usize) -> bool {
        let document = |number| {
            let (segment, position) = self.locate(number);
            segment.documents.get(position)
        };
        let pair = document(left).zip(document(right));
        pair.is_some_and(|(left, right)| left.sketch.is_near(&right.sketch))
    }

    fn number(&self, id: &str) -> Option<usize> {
        if let Some(position) = self.delta.position(id) {
            return Some(self.base.len() + position);
        }
        let position = self.base.position(id)?;
        let is_dead = self
            .dead
            .binary_search(&super::lexicon::narrow(position))
            .is_ok();
        (!is_dead).then_some(position)
    }
}

impl Ranked {
    /// Whether the query is its name.
    fn is_named(&self) -> bool {
        self.score > super::search::IS_NAME
    }
}

fn by_rank(position: usize) -> f32 {
    SMOOTHING / (SMOOTHING + super::score::real(super::lexicon::narrow(position)))
}

fn rank_feature(name: &'static str, position: usize, adds: f32) -> FeatureValue {
    FeatureValue {
        name,
        value: super::score::real(super::lexicon::narrow(position + 1)),
        adds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::IndexedSkill;

    fn index() -> SearchIndex {
        let long = |topic: &str| -> String {
            let words: Vec<_> = (0..120).map(|number| format!("{topic}{number}")).collect();
            words.join(" ")
        };
        let (pdf, sql) = (long("pdf"), long("sql"));
        let skill = |id, description, body| IndexedSkill {
            id,
            description,
            body: Some(body),
            stamp: 1,
            ..IndexedSkill::default()
        };
        let skills = [
            skill("a/forms", "Fills in PDF forms.", pdf.as_str()),
            skill("b/forms", "Fills in PDF forms.", pdf.as_str()),
            skill("c/forms-copy", "Completes PDF forms.", pdf.as_str()),
            skill("tables", "Fills tables.", sql.as_str()),
        ];
        SearchIndex::empty().update(skills).0
    }

    fn ids<'a>(found: &[FoundSkill<'a>]) -> Vec<(&'a str, usize)> {
        found
            .iter()
            .map(|it| (it.hit.id, it.similar.len()))
            .collect()
    }

    #[test]
    fn near_copies_are_folded_into_the_first() {
        let index = index();
        let request = SearchRequest {
            queries: &["fill in pdf forms"],
            ..SearchRequest::default()
        };
        let found = index.find(&request, |_| true);
        assert_eq!(ids(&found), [("a/forms", 2), ("tables", 0)]);
        let found = index.find(&request, |id| !id.starts_with("a/"));
        assert_eq!(ids(&found), [("b/forms", 1), ("tables", 0)]);
    }

    #[test]
    fn queries_and_signals_are_fused_by_rank() {
        let index = index();
        let queries = ["tables", "fill a table", ""];
        let request = SearchRequest {
            queries: &queries,
            ..SearchRequest::default()
        };
        let found = index.find(&request, |_| true);
        assert_eq!(found[0].hit.id, "tables");
        let signals = [SignalRanking {
            name: "use",
            weight: 9.0,
            ids: vec!["gone".to_owned(), "c/forms-copy".to_owned()],
        }];
        let found = index.find(
            &SearchRequest {
                queries: &queries,
                signals: &signals,
            },
            |_| true,
        );
        assert_eq!(found[0].hit.id, "c/forms-copy");
        assert_eq!(found[0].hit.features[0].name, "use");
        assert!(index.find(&SearchRequest::default(), |_| true).is_empty());
    }
}
