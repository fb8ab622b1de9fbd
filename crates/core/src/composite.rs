//! Several sources as one: layered, named, and never brought down by one of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use prowess_spec::SkillPath;

use crate::catalog::{Catalog, CatalogOptions, Collisions, Health, Layer, SourceStatus};
use crate::id::SkillId;
use crate::source::{Document, FileEntry, FilePart, Snapshot, Source, SourceError};

/// Sources in order of importance.
#[derive(Default)]
pub struct Composite {
    layers: Vec<NamedSource>,
    options: CatalogOptions,
    generation: AtomicU64,
}

struct NamedSource {
    name: Arc<str>,
    source: Arc<dyn Source>,
    /// What the source said when it last answered.
    last: Mutex<Option<Arc<Snapshot>>>,
}

impl Composite {
    /// Sources under `options`, none yet.
    pub fn new(options: CatalogOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Adds a source below those that are there.
    pub fn push(&mut self, name: &str, source: Arc<dyn Source>) {
        self.layers.push(NamedSource {
            name: name.into(),
            source,
            last: Mutex::default(),
        });
    }

    /// Asks every source what it holds. One that fails keeps its last answer, and its status says why.
    pub async fn catalog(&self) -> Catalog {
        let layers = join_all(self.layers.iter().map(NamedSource::layer)).await;
        let generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        Catalog::new(layers, &self.options, generation)
    }

    /// Loads a skill from the source that counts; one that does not have it any more passes it on.
    pub async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        let document = self.first(id, |source| source.load(id)).await?;
        let needed = document.skill.requires_capabilities.iter();
        let missing: Vec<String> = needed
            .filter(|needed| !self.options.capabilities.contains(*needed))
            .cloned()
            .collect();
        if missing.is_empty() {
            Ok(document)
        } else {
            let id = id.clone();
            Err(SourceError::MissingCapabilities { id, missing })
        }
    }

    /// The directory of a skill of `catalog`, if its source has one.
    pub fn location(&self, catalog: &Catalog, id: &SkillId) -> Option<String> {
        let layer = catalog.get(id.as_str())?.layer();
        self.layers.get(layer)?.source.location(id)
    }

    /// Directories whose changes change the skills.
    pub fn directories(&self) -> Vec<PathBuf> {
        let layers = self.layers.iter();
        layers
            .flat_map(|layer| layer.source.directories())
            .collect()
    }

    /// The files of a skill.
    pub async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.first(id, |source| source.files(id)).await
    }

    /// Part of a file of a skill.
    pub async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        self.first(id, |source| source.read(id, path, offset, limit))
            .await
    }

    /// The answer of the first source that has the skill; another error than "not found" is an answer.
    async fn first<'s, T, F>(
        &'s self,
        id: &SkillId,
        ask: impl Fn(&'s dyn Source) -> F,
    ) -> Result<T, SourceError>
    where
        F: Future<Output = Result<T, SourceError>>,
    {
        let not_found = || SourceError::NotFound(id.clone());
        if !self.options.filter.accepts(id) {
            return Err(not_found());
        }
        let order: Box<dyn Iterator<Item = &NamedSource> + Send> = match self.options.collisions {
            Collisions::FirstWins => Box::new(self.layers.iter()),
            Collisions::LastWins => Box::new(self.layers.iter().rev()),
        };
        for layer in order {
            match ask(&*layer.source).await {
                Err(SourceError::NotFound(_)) => {}
                answer => return answer,
            }
        }
        Err(not_found())
    }
}

impl NamedSource {
    async fn layer(&self) -> Layer {
        let answer = self.source.snapshot().await;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (health, reason, snapshot) = match answer {
            Ok(snapshot) => {
                *last = Some(Arc::clone(&snapshot));
                (Health::Healthy, None, snapshot)
            }
            Err(error) => {
                let health = if last.is_some() {
                    Health::Degraded
                } else {
                    Health::Unhealthy
                };
                (
                    health,
                    Some(error.to_string()),
                    last.clone().unwrap_or_default(),
                )
            }
        };
        Layer {
            status: SourceStatus {
                name: Arc::clone(&self.name),
                health,
                reason,
                skills: snapshot.skills.len(),
                warnings: snapshot.warnings.clone(),
            },
            snapshot,
        }
    }
}
