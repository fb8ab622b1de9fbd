//! Searching the skills of a catalog, with an index that keeps up with it.

use std::sync::{Arc, PoisonError};

use crate::id::SkillId;
use crate::join::join_all;
use crate::search::{IndexedSkill, SearchIndex};
use crate::skills::Skills;

/// Skills that are read at once while the index catches up.
const AT_ONCE: usize = 32;

/// Metadata keys whose values are words to search for.
const KEYWORDS: [&str; 4] = ["keywords", "tags", "topics", "category"];

impl Skills {
    /// The skills that fit a query, the best first.
    ///
    /// Updates the index first: only skills that changed since the last update are read.
    pub async fn search(&self, query: &str, limit: usize) -> Vec<SkillId> {
        let index = self.update_index().await;
        let catalog = self.catalog();
        let hits = index.search(query, limit);
        hits.into_iter()
            .filter_map(|hit| Some(catalog.get(hit.id)?.descriptor.id.clone()))
            .collect()
    }

    /// The current index, to be cached for the next start.
    pub fn search_index(&self) -> Arc<SearchIndex> {
        Arc::clone(&self.index().read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a cached index; [`Self::search`] updates stale entries.
    pub fn set_search_index(&self, index: SearchIndex) {
        *self.index().write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
    }

    async fn update_index(&self) -> Arc<SearchIndex> {
        let index = self.search_index();
        let catalog = self.catalog();
        let stamps = catalog
            .skills()
            .map(|skill| (skill.descriptor.id.as_str(), skill.descriptor.stamp));
        let stale = index.stale(stamps);
        if stale.is_empty() && index.len() == catalog.len() {
            return index;
        }
        let load = |position: usize| {
            let id = catalog
                .at(position)
                .map(|skill| skill.descriptor.id.clone());
            async move {
                let document = match id {
                    Some(id) => self.sources().load(&id).await.ok(),
                    None => None,
                };
                (
                    position,
                    document.map(|document| document.body).unwrap_or_default(),
                )
            }
        };
        let mut bodies: Vec<(usize, String)> = Vec::with_capacity(stale.len());
        for positions in stale.chunks(AT_ONCE) {
            bodies.extend(join_all(positions.iter().copied().map(load)).await);
        }
        bodies.sort_unstable();
        let body = |position: usize| {
            let found = bodies
                .binary_search_by_key(&position, |(position, _)| *position)
                .ok()?;
            bodies.get(found).map(|(_, body)| body.as_str())
        };
        let documents = catalog.skills().enumerate().map(|(position, skill)| {
            let descriptor = skill.descriptor;
            let is_keyword = |key: &str| KEYWORDS.contains(&key);
            let keywords = descriptor
                .metadata
                .iter()
                .filter(|(key, _)| is_keyword(key));
            IndexedSkill {
                id: descriptor.id.as_str(),
                description: &descriptor.description,
                keywords: keywords.map(|(_, value)| &**value).collect(),
                body: body(position),
                stamp: descriptor.stamp,
            }
        });
        let (updated, _) = index.update(documents);
        let updated = Arc::new(updated);
        *self.index().write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&updated);
        updated
    }
}
