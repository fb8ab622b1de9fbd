//! Ranks skills by the distance of their meaning to that of a query.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use prowess_core::{Catalog, RankSignal, SignalRanking};

use crate::embedder::{Embedder, EmbeddingError};
use crate::vectors::{Direction, TextDigest, Vectors, digest, direction, nearness};

/// Texts of one request.
const BATCH: usize = 64;
/// Skills of a ranking.
const RANKED: usize = 100;
/// How much it counts beside one query.
const WEIGHT: f32 = 0.5;

/// Called once, with a sentence for the user, if there are no vectors.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// Search by meaning with the vectors of an embedder. Vectors of skills are cached by the digest of their text.
pub struct MeaningSignal {
    embedder: Arc<dyn Embedder>,
    vectors: Mutex<Option<Vectors>>,
    cache: Option<PathBuf>,
    report: Report,
    is_off: AtomicBool,
}

impl MeaningSignal {
    /// A signal that caches vectors in a directory, and reports once why it has none.
    pub fn new(embedder: Arc<dyn Embedder>, cache: Option<PathBuf>, report: Report) -> Self {
        Self {
            embedder,
            vectors: Mutex::default(),
            cache,
            report,
            is_off: AtomicBool::new(false),
        }
    }

    fn with_vectors<T>(&self, work: impl FnOnce(&mut Vectors) -> T) -> T {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let load = || Vectors::load(self.cache.as_deref(), self.embedder.fingerprint());
        work(vectors.get_or_insert_with(load))
    }

    async fn rankings(
        &self,
        catalog: &Catalog,
        queries: &[&str],
    ) -> Result<Vec<SignalRanking>, EmbeddingError> {
        let asked = queries.iter().map(|query| (*query).to_owned()).collect();
        let asked = self.embedder.embed(asked).await?;
        let columns = asked.first().map_or(0, Vec::len);
        let texts: Vec<(TextDigest, String)> = catalog
            .skills()
            .map(|skill| {
                let name = skill.descriptor.name().replace('-', " ");
                let text = format!("{name}: {}", skill.descriptor.description);
                (digest(&text), text)
            })
            .collect();
        self.compute(&texts, columns).await?;
        Ok(self.with_vectors(|vectors| {
            let nearest = |query: &Vec<f32>| SignalRanking {
                name: "meaning",
                weight: WEIGHT,
                ids: nearest(&direction(query), catalog, &texts, vectors),
            };
            asked.iter().map(nearest).collect()
        }))
    }

    /// Computes the vectors that are not known. A model that changed its dimension gets all of them again.
    async fn compute(
        &self,
        texts: &[(TextDigest, String)],
        columns: usize,
    ) -> Result<(), EmbeddingError> {
        let missing: Vec<(TextDigest, String)> = self.with_vectors(|vectors| {
            if vectors.columns != columns {
                vectors.known.clear();
                vectors.columns = columns;
            }
            let missing = texts
                .iter()
                .filter(|(digest, _)| !vectors.known.contains_key(digest));
            missing.cloned().collect()
        });
        for some in missing.chunks(BATCH) {
            let batch = some.iter().map(|(_, text)| text.clone()).collect();
            let computed = self.embedder.embed(batch).await?;
            let other = computed.iter().find(|vector| vector.len() != columns);
            if let Some(other) = other {
                return Err(EmbeddingError::Malformed {
                    host: "the embeddings server".to_owned(),
                    reason: format!("expected {columns} dimensions, got {}", other.len()),
                });
            }
            self.with_vectors(|vectors| {
                for ((digest, _), vector) in some.iter().zip(&computed) {
                    vectors.known.insert(*digest, direction(vector));
                }
            });
        }
        if !missing.is_empty() {
            self.with_vectors(|vectors| {
                let current: std::collections::HashSet<_> =
                    texts.iter().map(|(digest, _)| *digest).collect();
                // Those of removed skills stay until they are most of the file.
                if vectors.known.len() > 2 * current.len() {
                    vectors.known.retain(|digest, _| current.contains(digest));
                }
                vectors.save();
            });
        }
        Ok(())
    }
}

fn nearest(
    query: &Direction,
    catalog: &Catalog,
    texts: &[(TextDigest, String)],
    vectors: &Vectors,
) -> Vec<String> {
    let skills = catalog.skills().zip(texts);
    let mut near: Vec<(f32, &str)> = skills
        .filter_map(|(skill, (digest, _))| {
            let vector = vectors.known.get(digest)?;
            Some((nearness(query, vector), skill.descriptor.id.as_str()))
        })
        .filter(|(near, _)| *near > 0.0)
        .collect();
    near.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.cmp(b)));
    near.into_iter()
        .take(RANKED)
        .map(|(_, id)| id.to_owned())
        .collect()
}

#[async_trait]
impl RankSignal for MeaningSignal {
    async fn rank(&self, catalog: &Catalog, queries: &[&str]) -> Vec<SignalRanking> {
        if self.is_off.load(Ordering::Relaxed)
            || queries.iter().all(|query| query.trim().is_empty())
        {
            return Vec::new();
        }
        match self.rankings(catalog, queries).await {
            Ok(rankings) => rankings,
            Err(error) => {
                // Once is enough: the next search would wait and fail again.
                if !self.is_off.swap(true, Ordering::Relaxed) {
                    (self.report)(&format!("search goes on without embeddings: {error}"));
                }
                Vec::new()
            }
        }
    }
}
