//! The search index of a replica: every package with its latest version, as of some change of the store.
//!
//! Full-text indexes of databases rank frequent words slowly, because they read every match; and their order is not ours.
//! So each replica has the index that local search has. It is saved in the storage, and follows the store by difference.

use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use prowess_core::{IndexedSkill, SearchIndex};
use prowess_store::{IndexedPackage, Store};
use tokio::sync::{Mutex, oneshot};

use super::error::HostingError;
use super::inspect::VersionFacts;
use crate::package_name::PackageName;
use crate::similar::similar_packages;
use crate::storage::PackageStorage;
use crate::wire::SearchFilter;

/// Packages that are read at once.
const BATCH: usize = 2_000;
/// The most packages that are read at once: those of a large registry, because each batch costs as much as all packages
/// before it.
const LARGEST_BATCH: usize = 10_000;
/// The name of the saved index; the number is that of its format.
const SAVED: &str = "search-index-2";
/// Changes after which the index is saved again.
const SAVE_AFTER: i64 = 1_000;
/// Similar names that are reported.
const SIMILAR: usize = 3;

/// A package in the index.
#[derive(Clone, Debug)]
pub(super) struct ListedPackage {
    pub(super) version: String,
    pub(super) digest: String,
    pub(super) published: i64,
    pub(super) facts: VersionFacts,
    id: String,
    keywords: String,
    changed: i64,
}

/// The packages as of one change.
#[derive(Default)]
pub(super) struct IndexState {
    pub(super) changes: i64,
    pub(super) packages: BTreeMap<Arc<PackageName>, Arc<ListedPackage>>,
    search: SearchIndex,
}

/// The index, which is replaced as a whole.
pub(super) struct PackageIndex {
    current: RwLock<Arc<IndexState>>,
    /// Held while a new one is made; the last change that was saved.
    saved: Mutex<i64>,
    updates: UpdateThread,
}

impl PackageIndex {
    pub(super) fn new() -> Self {
        Self {
            current: RwLock::default(),
            saved: Mutex::new(0),
            updates: UpdateThread::start(),
        }
    }

    pub(super) fn current(&self) -> Arc<IndexState> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    fn set(&self, state: IndexState) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(state);
    }

    /// Begins with the saved index, if there is one.
    pub(super) async fn load(
        &self,
        store: &Store,
        storage: &PackageStorage,
    ) -> Result<(), HostingError> {
        let mut saved = self.saved.lock().await;
        // Without a saved one, everything is read again.
        let Ok(Some(bytes)) = storage.read_named(SAVED).await else {
            return Ok(());
        };
        let Some((changes, search)) = read(&bytes) else {
            return Ok(());
        };
        // A store that was restored from a backup may have fewer changes.
        if changes > store.registry_changes().await? {
            return Ok(());
        }
        let mut state = IndexState {
            search,
            ..IndexState::default()
        };
        loop {
            let batch = store
                .changed_packages(state.changes, rows(LARGEST_BATCH), false)
                .await?;
            let batch: Vec<_> = batch
                .into_iter()
                .filter(|it| it.changed <= changes)
                .collect();
            let Some(last) = batch.last() else { break };
            state.changes = last.changed;
            let is_whole = batch.len() < LARGEST_BATCH;
            for package in batch {
                state.list(&package);
            }
            if is_whole {
                break;
            }
        }
        state.changes = changes;
        state.reindex(&BTreeMap::new());
        *saved = changes;
        self.set(state);
        Ok(())
    }

    /// Follows the store. Returns whether there was a change.
    pub(super) async fn refresh(&self, store: &Store) -> Result<bool, HostingError> {
        let _alone = self.saved.lock().await;
        let mut changed = false;
        loop {
            let before = self.current();
            let size = before.packages.len().clamp(BATCH, LARGEST_BATCH);
            let batch = store
                .changed_packages(before.changes, rows(size), true)
                .await?;
            let Some(last) = batch.last() else {
                return Ok(changed);
            };
            changed = true;
            let is_last = batch.len() < size;
            let up_to = last.changed;
            match self.updates.run(move || before.with(batch, up_to)).await {
                Some(next) => self.set(next),
                None => return Ok(changed),
            }
            if is_last {
                return Ok(changed);
            }
        }
    }

    /// Saves the index for replicas that start, if much has changed.
    pub(super) async fn save(&self, storage: &PackageStorage) {
        let mut saved = self.saved.lock().await;
        let state = self.current();
        if state.changes - *saved < SAVE_AFTER {
            return;
        }
        let bytes = tokio::task::spawn_blocking({
            let state = Arc::clone(&state);
            move || write(&state)
        });
        if let Ok(bytes) = bytes.await
            && storage.put_named(SAVED, bytes).await.is_ok()
        {
            *saved = state.changes;
        }
    }
}

/// A number of rows, as databases want it.
fn rows(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A thread on which new indexes are made.
///
/// Each of them is as large as all packages. The allocator has memory for each thread that it does not share with others, so
/// on any thread of a pool they would take ten times as much.
struct UpdateThread(Sender<Box<dyn FnOnce() + Send>>);

impl UpdateThread {
    /// The thread ends with the last sender.
    fn start() -> Self {
        let (sender, updates) = channel::<Box<dyn FnOnce() + Send>>();
        let thread = std::thread::Builder::new().name("index".to_owned());
        // Without a thread there is no receiver, and no update.
        let _ = thread.spawn(move || {
            for update in updates {
                update();
            }
        });
        Self(sender)
    }

    /// Runs an update; `None` if it failed.
    async fn run<T: Send + 'static>(
        &self,
        update: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, result) = oneshot::channel();
        let update = move || {
            let _ = sender.send(update());
        };
        self.0.send(Box::new(update)).ok()?;
        result.await.ok()
    }
}

fn write(state: &IndexState) -> Bytes {
    let mut bytes = state.changes.to_le_bytes().to_vec();
    bytes.extend(state.search.to_bytes());
    bytes.into()
}

fn read(bytes: &Bytes) -> Option<(i64, SearchIndex)> {
    let (changes, rest) = bytes.split_first_chunk::<8>()?;
    Some((i64::from_le_bytes(*changes), SearchIndex::from_bytes(rest)?))
}

impl IndexState {
    /// The next state, with packages that changed.
    fn with(&self, batch: Vec<IndexedPackage>, changes: i64) -> Self {
        let mut next = Self {
            changes,
            packages: self.packages.clone(),
            search: self.search.clone(),
        };
        let mut bodies = BTreeMap::new();
        for package in batch {
            if let Some(name) = next.list(&package)
                && let Some(latest) = package.latest
            {
                bodies.insert(name, latest.body);
            }
        }
        next.reindex(&bodies);
        next
    }

    /// Lists a package, or removes one that has no version any more.
    fn list(&mut self, package: &IndexedPackage) -> Option<Arc<PackageName>> {
        let name: PackageName = package.name.parse().ok()?;
        let latest = package.latest.as_ref();
        let facts = latest.and_then(|it| serde_json::from_str(&it.facts).ok());
        let (Some(latest), Some(facts)) = (latest, facts) else {
            self.packages.remove(&name);
            return None;
        };
        let listed = ListedPackage {
            version: latest.version.clone(),
            digest: latest.digest.clone(),
            published: latest.published,
            facts,
            id: package.name.clone(),
            keywords: latest.keywords.clone(),
            changed: package.changed,
        };
        let name = Arc::new(name);
        self.packages.insert(Arc::clone(&name), Arc::new(listed));
        Some(name)
    }

    fn reindex(&mut self, bodies: &BTreeMap<Arc<PackageName>, String>) {
        let skills = self.packages.iter().map(|(name, package)| IndexedSkill {
            id: &package.id,
            description: &package.facts.description,
            keywords: package.keywords.lines().collect(),
            body: bodies.get(name).map(String::as_str),
            stamp: u64::try_from(package.changed).unwrap_or_default(),
            ..IndexedSkill::default()
        });
        self.search = self.search.update(skills).0;
    }

    /// The packages that fit, the best first, with their scores; and how many there are. All packages fit an empty query,
    /// in the order of their names.
    pub(super) fn search(
        &self,
        query: &str,
        filter: &SearchFilter,
        offset: usize,
        limit: usize,
    ) -> (Vec<(PackageName, Arc<ListedPackage>, f32)>, usize) {
        if query.trim().is_empty() {
            let wanted = self
                .packages
                .iter()
                .filter(|(name, it)| it.fits(name, filter));
            let count = wanted.clone().count();
            let page = wanted.skip(offset).take(limit);
            let page = page.map(|(name, it)| (PackageName::clone(name), Arc::clone(it), 0.0));
            return (page.collect(), count);
        }
        let is_wanted = |id: &str| {
            if *filter == SearchFilter::default() {
                return true;
            }
            let name: Option<PackageName> = id.parse().ok();
            let found = name.and_then(|name| Some((self.packages.get(&name)?, name)));
            found.is_some_and(|(package, name)| package.fits(&name, filter))
        };
        let until = offset.saturating_add(limit);
        let (hits, count) = self.search.search_among(query, until, is_wanted);
        let page = hits.iter().skip(offset).filter_map(|hit| {
            let name: PackageName = hit.id.parse().ok()?;
            let package = self.packages.get(&name)?;
            Some((name, Arc::clone(package), hit.score))
        });
        (page.collect(), count)
    }

    /// Packages that a new one is easily taken for.
    pub(super) fn similar(&self, name: &PackageName) -> Vec<&PackageName> {
        let mut similar = similar_packages(name, self.packages.keys().map(AsRef::as_ref));
        similar.truncate(SIMILAR);
        similar
    }
}

impl ListedPackage {
    fn fits(&self, name: &PackageName, filter: &SearchFilter) -> bool {
        let facts = &self.facts;
        let has = |list: &[String], wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|it| list.contains(it))
        };
        let kind = match filter.kind.as_deref() {
            Some("instruction") => facts.types.is_empty(),
            _ => has(&facts.types, &filter.kind),
        };
        let is_licence = |wanted: &String| {
            let licence = facts.licence.as_deref().unwrap_or_default();
            licence.eq_ignore_ascii_case(wanted)
        };
        kind && has(&facts.permissions, &filter.permission)
            && filter.licence.as_ref().is_none_or(is_licence)
            && filter.code.is_none_or(|it| it == facts.has_code)
            && filter.verdict.is_none_or(|it| it == facts.verdict)
            && filter
                .owner
                .as_deref()
                .is_none_or(|it| name.owner() == Some(it))
    }
}
