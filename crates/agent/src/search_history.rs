//! Skills that were loaded in this project for similar queries.

use std::collections::HashMap;

use async_trait::async_trait;
use prowess_core::{Catalog, RankSignal, SignalRanking, SkillId, query_stems};
use prowess_store::Store;

/// Queries are similar if they share at least this part of their words.
const SIMILAR: f64 = 0.34;
/// How much it counts beside one query: enough to decide between skills that fit about as well.
const WEIGHT: f32 = 0.6;

/// What chats of a project loaded after which queries. It is in the user's store, and leaves the machine only if that does.
pub struct SearchHistory {
    store: Store,
    project: String,
}

impl SearchHistory {
    /// That of the project with this root.
    pub fn new(store: Store, project: impl Into<String>) -> Self {
        Self {
            store,
            project: project.into(),
        }
    }
}

#[async_trait]
impl RankSignal for SearchHistory {
    async fn rank(&self, _: &Catalog, queries: &[&str]) -> Vec<SignalRanking> {
        // A store that cannot be read changes nothing but this order.
        let uses = self
            .store
            .search_uses(&self.project)
            .await
            .unwrap_or_default();
        let asked: Vec<Vec<String>> = queries.iter().map(|query| query_stems(query)).collect();
        let mut scores: HashMap<&str, f64> = HashMap::new();
        for used in &uses {
            let before = query_stems(&used.query);
            let similar = asked.iter().map(|asked| similarity(asked, &before));
            let similar = similar.fold(0.0, f64::max);
            if similar >= SIMILAR {
                let uses = f64::from(u32::try_from(used.uses).unwrap_or(u32::MAX));
                *scores.entry(&used.skill).or_default() += similar * (1.0 + uses.ln());
            }
        }
        if scores.is_empty() {
            return Vec::new();
        }
        let mut best: Vec<(&str, f64)> = scores.into_iter().collect();
        best.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
        vec![SignalRanking {
            name: "use",
            weight: WEIGHT,
            ids: best.into_iter().map(|(id, _)| id.to_owned()).collect(),
        }]
    }

    async fn loaded(&self, queries: &[String], id: &SkillId) {
        let noted = self
            .store
            .add_search_use(&self.project, queries, id.as_str())
            .await;
        if let Err(error) = noted {
            tracing::debug!(%error, "cannot note the use of a skill");
        }
    }
}

/// The share of words that two queries have in common.
fn similarity(left: &[String], right: &[String]) -> f64 {
    let common = left.iter().filter(|word| right.contains(word)).count();
    let all = left.len() + right.len() - common;
    let real = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if all == 0 {
        0.0
    } else {
        real(common) / real(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_queries_share_words() {
        let similar = |left, right| similarity(&query_stems(left), &query_stems(right));
        assert!(similar("deploy the shop", "deploying our shop to production") >= SIMILAR);
        assert!(similar("deploy the shop", "write a poem") < SIMILAR);
        assert!(similar("", "").abs() < f64::EPSILON);
    }
}
