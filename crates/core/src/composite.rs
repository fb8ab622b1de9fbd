//! Several sources as one: layered, named, and independent of each other's failures.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

use prowess_spec::SkillPath;

use crate::catalog::{Catalog, CatalogOptions, Collisions, Health, Layer, Shadowed, SourceStatus};
use crate::filter::Filter;
use crate::id::SkillId;
use crate::join::join_all;
use crate::source::{
    Contents, Document, FileEntry, FilePart, Origin, Snapshot, Source, SourceError,
};
use crate::writer::SkillWriter;

/// Files and bytes of a skill that is compared with another of its id.
const COPY_FILES: usize = 1_000;
const COPY_BYTES: u64 = 4 * 1024 * 1024;
/// Skills that are compared at once.
const AT_ONCE: usize = 8;

/// Sources in order of importance.
#[derive(Default)]
pub struct Composite {
    layers: Vec<NamedSource>,
    options: RwLock<Arc<CatalogOptions>>,
    generation: AtomicU64,
    /// Clashes that were reported.
    #[cfg(feature = "tracing")]
    clashes: Mutex<std::collections::BTreeSet<SkillId>>,
}

struct NamedSource {
    name: Arc<str>,
    source: Arc<dyn Source>,
    state: Mutex<State>,
}

/// The state of a source.
#[derive(Default)]
struct State {
    /// Whether it was queried.
    asked: bool,
    /// Its last snapshot.
    last: Option<Arc<Snapshot>>,
}

impl Composite {
    /// Sources under `options`, none yet.
    pub fn new(options: CatalogOptions) -> Self {
        Self {
            options: RwLock::new(Arc::new(options)),
            ..Self::default()
        }
    }

    fn options(&self) -> Arc<CatalogOptions> {
        let options = self.options.read();
        Arc::clone(&options.unwrap_or_else(PoisonError::into_inner))
    }

    /// Leaves other skills out than before; the next catalog shows it.
    pub fn set_filter(&self, filter: Filter) {
        let mut options = self.options.write().unwrap_or_else(PoisonError::into_inner);
        *options = Arc::new(CatalogOptions {
            filter,
            ..CatalogOptions::clone(&options)
        });
    }

    /// Adds a source below those that are there.
    pub fn push(&mut self, name: &str, source: Arc<dyn Source>) {
        self.layers.push(NamedSource {
            name: name.into(),
            source,
            state: Mutex::default(),
        });
    }

    /// The same sources, shared, without one skill.
    #[must_use]
    pub fn without(&self, id: &SkillId) -> Self {
        let mut options = CatalogOptions::clone(&self.options());
        options.filter = options.filter.without(id.clone());
        let mut sources = Self::new(options);
        for layer in &self.layers {
            sources.push(&layer.name, Arc::clone(&layer.source));
        }
        sources
    }

    /// Queries every source. One that fails keeps its last snapshot, and its status has the reason.
    pub async fn catalog(&self) -> Catalog {
        let layers = join_all(self.layers.iter().map(NamedSource::layer)).await;
        let generation = self.generation.fetch_add(1, Ordering::Relaxed) + 1;
        let mut catalog = Catalog::new(layers, &self.options(), generation);
        let mut are_copies = Vec::new();
        let shadowed: Vec<Shadowed<'_>> = catalog.shadowed().collect();
        for some in shadowed.chunks(AT_ONCE) {
            are_copies.extend(join_all(some.iter().map(|it| self.is_copy(it))).await);
        }
        catalog.set_copies(&are_copies);
        #[cfg(feature = "tracing")]
        self.report_clashes(&catalog);
        catalog
    }

    /// Each of them once, when it begins.
    #[cfg(feature = "tracing")]
    fn report_clashes(&self, catalog: &Catalog) {
        let mut known = self.clashes.lock().unwrap_or_else(PoisonError::into_inner);
        for clash in catalog.clashes() {
            let id = &clash.labelled.descriptor.id;
            if known.insert(id.clone()) {
                let (server, other) = (&**clash.labelled.source, &**clash.other.source);
                tracing::warn!(
                    skill = id.as_str(),
                    server,
                    other,
                    "a server has a skill of the same name"
                );
            }
        }
        known.retain(|id| catalog.get(id.as_str()).is_some());
    }

    /// Whether a skill is on this machine and the same as the one that hides it, in every byte of every file.
    async fn is_copy(&self, shadowed: &Shadowed<'_>) -> bool {
        let Shadowed { winner, loser } = shadowed;
        let id = &winner.descriptor.id;
        let sources = (
            self.layers.get(winner.layer()),
            self.layers.get(loser.layer()),
        );
        let (Some(a), Some(b)) = sources else {
            return false;
        };
        let is_local = |layer: &NamedSource| layer.source.location(id).is_some();
        if winner.layer() == loser.layer()
            || winner.descriptor.description != loser.descriptor.description
            || !is_local(a)
            || !is_local(b)
        {
            return false;
        }
        // Names and sizes first: they cost little, whatever a project puts there.
        match (a.source.files(id).await, b.source.files(id).await) {
            (Ok(a), Ok(b)) if a == b => {}
            _ => return false,
        }
        let whole = |layer: &NamedSource| {
            let source = Arc::clone(&layer.source);
            async move { source.contents(id, COPY_FILES, COPY_BYTES).await }
        };
        match (whole(a).await, whole(b).await) {
            (Ok(Contents::Whole(a)), Ok(Contents::Whole(b))) => a == b,
            _ => false,
        }
    }

    /// Loads a skill from the source that counts; one that does not have it any more passes it on.
    pub async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        let bare = &*id.bare();
        let mut document = self.first(id, |source| source.load(bare)).await?;
        document.id = id.clone();
        let options = self.options();
        let needed = document.skill.requires_capabilities.iter();
        let missing: Vec<String> = needed
            .filter(|needed| !options.capabilities.contains(*needed))
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
        self.layers.get(layer)?.source.location(&id.bare())
    }

    /// Directories whose changes change the skills.
    pub fn directories(&self) -> Vec<PathBuf> {
        let layers = self.layers.iter();
        layers
            .flat_map(|layer| layer.source.directories())
            .collect()
    }

    /// Writes a skill of `catalog`, if its source can be written.
    pub fn writer(&self, catalog: &Catalog, id: &SkillId) -> Option<&dyn SkillWriter> {
        let layer = catalog.get(id.as_str())?.layer();
        self.layers.get(layer)?.source.writer()
    }

    /// The sources that can be written.
    pub fn writers(&self) -> impl Iterator<Item = &dyn SkillWriter> {
        let sources = self.layers.iter();
        sources.filter_map(|layer| layer.source.writer())
    }

    /// Writes skills of the source over `directory`.
    pub fn writer_in(&self, directory: &Path) -> Option<&dyn SkillWriter> {
        let is_over = |layer: &&NamedSource| {
            let directories = layer.source.directories();
            directories.iter().any(|it| it == directory)
        };
        self.layers.iter().find(is_over)?.source.writer()
    }

    /// The files of a skill.
    pub async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        let bare = &*id.bare();
        self.first(id, |source| source.files(bare)).await
    }

    /// Part of a file of a skill.
    pub async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let bare = &*id.bare();
        self.first(id, |source| source.read(bare, path, offset, limit))
            .await
    }

    /// The whole skill, if it is within the limit.
    pub async fn contents(
        &self,
        id: &SkillId,
        max_files: usize,
        max_bytes: u64,
    ) -> Result<Contents, SourceError> {
        let bare = &*id.bare();
        self.first(id, |source| source.contents(bare, max_files, max_bytes))
            .await
    }

    /// The answer of the first source that has the skill; another error than "not found" is an answer.
    ///
    /// Sources that do not list the skill are not queried: one that is down must not block the others, and a server
    /// must not learn ids of other sources.
    async fn first<'s, T, F>(
        &'s self,
        id: &SkillId,
        ask: impl Fn(&'s dyn Source) -> F,
    ) -> Result<T, SourceError>
    where
        F: Future<Output = Result<T, SourceError>>,
    {
        let not_found = || SourceError::NotFound(id.clone());
        let options = self.options();
        if !options.filter.accepts(id) {
            return Err(not_found());
        }
        let order: Box<dyn Iterator<Item = &NamedSource> + Send> = match options.collisions {
            Collisions::FirstWins => Box::new(self.layers.iter()),
            Collisions::LastWins => Box::new(self.layers.iter().rev()),
        };
        let bare = id.bare();
        let may_have: Vec<&NamedSource> = order
            .filter(|layer| layer.may_have(&bare, &options))
            .collect();
        for layer in owners(id, may_have) {
            match ask(&*layer.source).await {
                Err(SourceError::NotFound(_)) => {}
                answer => return answer.map_err(|error| error.about(id)),
            }
        }
        Err(not_found())
    }
}

/// Those of the sources with a bare id that `id` can mean, by the rule of [`crate::clash`].
fn owners<'s>(id: &SkillId, having: Vec<&'s NamedSource>) -> Vec<&'s NamedSource> {
    let (mut servers, mut chosen): (Vec<_>, Vec<_>) = having
        .into_iter()
        .partition(|layer| layer.source.origin() == Origin::Server);
    if id.label().is_some() {
        servers.retain(|layer| id.labelled(&layer.name) == *id);
        return servers;
    }
    // A source that was never queried may not have it.
    let is_listed = chosen.iter().any(|layer| layer.state().asked);
    if !is_listed && servers.len() < 2 {
        chosen.append(&mut servers);
    }
    chosen
}

impl NamedSource {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_have(&self, id: &SkillId, options: &CatalogOptions) -> bool {
        let state = self.state();
        match &state.last {
            Some(last) => {
                let found = last.position(id).and_then(|index| last.skills.get(index));
                found.is_some_and(|skill| !options.refuses(skill))
            }
            None => !state.asked,
        }
    }

    async fn layer(&self) -> Layer {
        #[cfg(feature = "tracing")]
        let began = std::time::Instant::now();
        let answer = self.source.snapshot().await.map(sorted);
        let untrusted = matches!(answer, Err(SourceError::Untrusted(_)));
        let freshness = self.source.freshness();
        let mut state = self.state();
        state.asked = true;
        let (reason, snapshot) = match answer {
            Ok(snapshot) => {
                state.last = Some(Arc::clone(&snapshot));
                (freshness.stale, Some(snapshot))
            }
            Err(error) => (Some(error.to_string()), state.last.clone()),
        };
        let health = match (&reason, &snapshot) {
            (None, _) => Health::Healthy,
            _ if untrusted => Health::Untrusted,
            (Some(_), Some(_)) => Health::Degraded,
            (Some(_), None) => Health::Unhealthy,
        };
        let snapshot = snapshot.unwrap_or_default();
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let status = SourceStatus {
            name: Arc::clone(&self.name),
            health,
            reason,
            refreshed: freshness.refreshed.and_then(since).map(|age| age.as_secs()),
            skills: snapshot.skills.len(),
            warnings: snapshot.warnings.clone(),
            hidden: snapshot.hidden,
        };
        #[cfg(feature = "tracing")]
        report(&status, began.elapsed());
        Layer {
            status,
            snapshot,
            origin: self.source.origin(),
        }
    }
}

#[cfg(feature = "tracing")]
fn report(status: &SourceStatus, took: std::time::Duration) {
    let (source, skills) = (&*status.name, status.skills);
    let duration_ms = took.as_secs_f64() * 1e3;
    match &status.reason {
        None => tracing::debug!(source, skills, duration_ms, "source was read"),
        Some(reason) => {
            let health = status.health;
            tracing::warn!(
                source,
                ?health,
                skills,
                duration_ms,
                reason,
                "source is not healthy"
            );
        }
    }
}

/// The snapshot, sorted by id even if the source forgot to.
fn sorted(snapshot: Arc<Snapshot>) -> Arc<Snapshot> {
    if snapshot.skills.is_sorted_by(|a, b| a.id <= b.id) {
        return snapshot;
    }
    Arc::new(Snapshot::clone(&snapshot).sorted())
}
