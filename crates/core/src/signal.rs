//! What speaks for a skill besides its words.

use async_trait::async_trait;

use crate::catalog::Catalog;
use crate::id::SkillId;
use crate::search::SignalRanking;

/// Ranks skills for a query by something that this crate does not know: their meaning, or what was used before.
///
/// Search never depends on it: a signal that has nothing to say, or cannot, returns nothing.
#[async_trait]
pub trait RankSignal: Send + Sync {
    /// The skills that the signal speaks for, one ranking for each query or one for all of them.
    async fn rank(&self, catalog: &Catalog, queries: &[&str]) -> Vec<SignalRanking>;

    /// A skill was loaded after these queries.
    async fn loaded(&self, queries: &[String], id: &SkillId) {
        let _ = (queries, id);
    }
}
