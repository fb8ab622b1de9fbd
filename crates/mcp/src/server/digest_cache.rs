//! A cache of the digests of every skill.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use prowess_core::{Catalog, SkillId, Skills};
use prowess_sources::run_inline;

use super::skill_digests::{ListingError, SkillDigests, digest_skill};
use crate::digest::Digest;
use crate::limits::{READERS, WRITTEN_PAGES};

/// A cache of the digests of every skill.
///
/// A source reports when the skill file changed, but not the files beside it. So an entry is valid for a short time,
/// and only while the skill file is unchanged.
pub(crate) struct DigestCache {
    fresh: Duration,
    state: Mutex<State>,
    /// Held while all files are read.
    flight: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    slots: HashMap<SkillId, Slot>,
    listing: Option<Arc<Listing>>,
}

#[derive(Clone)]
struct Slot {
    key: Key,
    read: Instant,
    digests: Result<Arc<SkillDigests>, ListingError>,
}

/// The stamp of the skill file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    layer: usize,
    stamp: u64,
}

/// Every listed skill at one moment.
pub(crate) struct Listing {
    generation: u64,
    oldest: Instant,
    /// Sorted by id.
    pub(crate) skills: Vec<Arc<SkillDigests>>,
    /// Skills that cannot be listed, and why.
    pub(crate) omitted: Vec<(SkillId, String)>,
    /// The same number for the same content, in every process.
    pub(crate) version: u64,
    /// Pages as they were sent, by their cursors.
    written: Mutex<HashMap<Option<String>, Arc<[u8]>>>,
}

impl Listing {
    /// The page of a cursor, written now if it was not before.
    pub(crate) fn written<E>(
        &self,
        cursor: Option<&str>,
        write: impl FnOnce() -> Result<Arc<[u8]>, E>,
    ) -> Result<Arc<[u8]>, E> {
        let key = cursor.map(str::to_owned);
        let pages = || self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages().get(&key) {
            return Ok(Arc::clone(page));
        }
        let page = write()?;
        let mut pages = pages();
        if pages.len() < WRITTEN_PAGES {
            pages.insert(key, Arc::clone(&page));
        }
        Ok(page)
    }
}

impl DigestCache {
    pub(crate) fn new(fresh: Duration) -> Self {
        Self {
            fresh,
            state: Mutex::default(),
            flight: tokio::sync::Mutex::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache after an unspecified change.
    pub(crate) fn forget_all(&self) {
        *self.state() = State::default();
    }

    /// Removes one skill, because it changed.
    pub(crate) fn forget(&self, id: &SkillId) {
        let mut state = self.state();
        state.slots.remove(id);
        state.listing = None;
    }

    fn is_fresh(&self, read: Instant) -> bool {
        read.elapsed() < self.fresh
    }

    fn known(&self, id: &SkillId, key: Key) -> Option<Slot> {
        let state = self.state();
        let slot = state.slots.get(id)?;
        (slot.key == key && self.is_fresh(slot.read)).then(|| slot.clone())
    }

    /// One skill of the catalog, listed or not.
    pub(crate) async fn get(
        &self,
        skills: &Skills,
        id: &SkillId,
    ) -> Option<Result<Arc<SkillDigests>, ListingError>> {
        let catalog = skills.catalog();
        let key = key_of(&catalog, id)?;
        match self.known(id, key) {
            Some(slot) => Some(slot.digests),
            None => Some(self.read(skills, id.clone(), key).await.digests),
        }
    }

    /// Like [`Self::get`], but reads the skill again.
    pub(crate) async fn get_uncached(
        &self,
        skills: &Skills,
        id: &SkillId,
    ) -> Option<Result<Arc<SkillDigests>, ListingError>> {
        let key = key_of(&skills.catalog(), id)?;
        let before = self.state().slots.get(id).cloned();
        let after = self.read(skills, id.clone(), key).await;
        let digest = |slot: &Slot| slot.digests.as_ref().ok().map(|digests| digests.digest);
        if before.as_ref().and_then(digest) != digest(&after) {
            self.state().listing = None;
        }
        Some(after.digests)
    }

    async fn read(&self, skills: &Skills, id: SkillId, key: Key) -> Slot {
        let slot = slot(skills, &id, key).await;
        self.state().slots.insert(id, slot.clone());
        slot
    }

    /// Every skill that is listed.
    pub(crate) async fn listing(&self, skills: &Skills) -> Arc<Listing> {
        let catalog = skills.catalog();
        if let Some(listing) = self.current(&catalog) {
            return listing;
        }
        let _flight = self.flight.lock().await;
        let catalog = skills.catalog();
        // Another task may have read everything in the meantime.
        if let Some(listing) = self.current(&catalog) {
            return listing;
        }
        let wanted: Vec<(SkillId, Key)> = catalog
            .skills()
            .filter(|skill| skill.descriptor.invocation.by_model())
            .map(|skill| {
                let stamp = skill.descriptor.stamp;
                let layer = skill.layer();
                (skill.descriptor.id.clone(), Key { layer, stamp })
            })
            .collect();
        let unknown: Vec<(SkillId, Key)> = wanted
            .iter()
            .filter(|(id, key)| self.known(id, *key).is_none())
            .cloned()
            .collect();
        for (id, slot) in read_all(skills, unknown).await {
            self.state().slots.insert(id, slot);
        }
        let mut state = self.state();
        let listing = Arc::new(collect(&state.slots, &wanted, catalog.generation()));
        // Removed skills and single requests are dropped.
        let fresh = |slot: &Slot| self.is_fresh(slot.read);
        state.slots.retain(|_, slot| fresh(slot));
        state.listing = Some(Arc::clone(&listing));
        listing
    }

    fn current(&self, catalog: &Catalog) -> Option<Arc<Listing>> {
        let listing = self.state().listing.clone()?;
        let counts = listing.generation == catalog.generation() && self.is_fresh(listing.oldest);
        counts.then_some(listing)
    }
}

fn key_of(catalog: &Catalog, id: &SkillId) -> Option<Key> {
    let skill = catalog.get(id.as_str())?;
    Some(Key {
        layer: skill.layer(),
        stamp: skill.descriptor.stamp,
    })
}

async fn slot(skills: &Skills, id: &SkillId, key: Key) -> Slot {
    let read = Instant::now();
    let digests = digest_skill(skills, id).await.map(Arc::new);
    Slot { key, read, digests }
}

/// Reads skills on all threads, each with its share; remote ones a few at a time.
async fn read_all(skills: &Skills, ids: Vec<(SkillId, Key)>) -> Vec<(SkillId, Slot)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = ids.len().div_ceil(threads).max(1);
    let readers = READERS.div_ceil(threads);
    let mut tasks = tokio::task::JoinSet::new();
    for ids in ids.chunks(share) {
        let (skills, ids) = (skills.clone(), ids.to_vec());
        tasks.spawn_blocking(move || {
            let read = |(id, key): (SkillId, Key)| {
                let skills = &skills;
                async move {
                    let slot = slot(skills, &id, key).await;
                    (id, slot)
                }
            };
            let slots = stream::iter(ids).map(read).buffer_unordered(readers);
            run_inline(|| pollster::block_on(slots.collect::<Vec<_>>()))
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

fn collect(slots: &HashMap<SkillId, Slot>, wanted: &[(SkillId, Key)], generation: u64) -> Listing {
    let mut skills = Vec::with_capacity(wanted.len());
    let mut omitted = Vec::new();
    let mut oldest = Instant::now();
    for (id, _) in wanted {
        let Some(slot) = slots.get(id) else {
            continue;
        };
        oldest = oldest.min(slot.read);
        match &slot.digests {
            Ok(digests) => skills.push(Arc::clone(digests)),
            Err(problem) => omitted.push((id.clone(), problem.to_string())),
        }
    }
    let parts = skills
        .iter()
        .map(|skill| skill.digest.as_bytes().as_slice());
    let version = Digest::of_parts(parts).short();
    Listing {
        generation,
        oldest,
        skills,
        omitted,
        version,
        written: Mutex::default(),
    }
}
