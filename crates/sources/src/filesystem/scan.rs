//! The result of a scan, and how the next one uses it.

use std::collections::BTreeMap;
use std::fs;
use std::hash::BuildHasher;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};
#[cfg(target_os = "linux")]
use std::thread;
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};
use prowess_core::{CollectionPath, Descriptor, Invalid, SkillId, Snapshot};
use rayon::slice::ParallelSliceMut;

use super::FilesystemOptions;
#[cfg(target_os = "linux")]
use super::saved_codec::RestoredScan;
use super::walk::{LEAVES, Walk, name_of};
use crate::stamp::Stamp;

/// The result of a scan, and the data to check whether it is current.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    pub(super) snapshot: Arc<Snapshot>,
    /// For each skill of the snapshot, the state of its file; the default if it changed too recently to be sure.
    pub(super) stamps: Vec<Stamp>,
    /// Directories without a skill.
    pub(super) listings: Listings,
    /// The positions of skills, by directory; made for the next scan.
    by_directory: OnceLock<HashTable<u32>>,
    hasher: DefaultHashBuilder,
}

/// Directories by their path.
pub(super) type Listings = BTreeMap<Box<str>, Arc<Listing>>;

/// A directory that was listed. Another scan need not list it as long as the stamp is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// The state before it was listed; never the default.
    pub(super) stamp: Stamp,
    /// Paths of directories to look at, relative to this one.
    pub(super) below: Vec<Box<str>>,
    /// Hidden directories that are not searched.
    pub(super) hidden: u32,
    /// Whether it has a `COLLECTION.md`, which can change without the directory.
    pub(super) is_described: bool,
    /// Whether nothing but the directory itself decides what it holds; otherwise it is listed each time.
    pub(super) is_plain: bool,
}

/// A skill that was found.
pub(super) struct Found {
    pub(super) descriptor: Descriptor,
    pub(super) directory: Box<str>,
    pub(super) stamp: Stamp,
}

impl Scan {
    /// A scan of another process, whose skills come later.
    #[cfg(target_os = "linux")]
    pub(super) fn restored(
        directories: Vec<Box<str>>,
        stamps: Vec<Stamp>,
        listings: Listings,
    ) -> Self {
        let snapshot = Snapshot {
            directories,
            ..Snapshot::default()
        };
        Self::new(snapshot, stamps, listings)
    }

    /// The same with its skills, sorted by id.
    #[cfg(target_os = "linux")]
    pub(super) fn with_skills(mut self, skills: Vec<Descriptor>) -> Self {
        Arc::make_mut(&mut self.snapshot).skills = skills;
        self
    }

    fn new(snapshot: Snapshot, stamps: Vec<Stamp>, listings: Listings) -> Self {
        Self {
            snapshot: Arc::new(snapshot),
            stamps,
            listings,
            by_directory: OnceLock::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    pub(super) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// The directory of a skill, relative to the root. Among several of one id the first counts.
    pub(super) fn directory(&self, id: &SkillId) -> Option<&str> {
        let index = self.snapshot.skills.partition_point(|skill| skill.id < *id);
        let skill = self
            .snapshot
            .skills
            .get(index)
            .filter(|skill| skill.id == *id);
        skill
            .and_then(|_| self.snapshot.directories.get(index))
            .map(|directory| &**directory)
    }

    /// The skill in a directory: its index, and what its file looked like.
    pub(super) fn known(&self, directory: &str) -> Option<(usize, Stamp)> {
        let directories = &self.snapshot.directories;
        let is_it = |index: &u32| {
            let known = directories.get(*index as usize);
            known.is_some_and(|known| &**known == directory)
        };
        let by_directory = self.by_directory.get_or_init(|| self.index());
        let index = by_directory.find(self.hasher.hash_one(directory), is_it)?;
        let index = *index as usize;
        Some((index, *self.stamps.get(index)?))
    }

    fn index(&self) -> HashTable<u32> {
        let directories = &self.snapshot.directories;
        let hash = |index: &u32| {
            let directory: Option<&Box<str>> = directories.get(*index as usize);
            self.hasher
                .hash_one(directory.map_or("", |directory| &**directory))
        };
        let count = directories.len();
        let mut by_directory = HashTable::with_capacity(count);
        for index in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            by_directory.insert_unique(hash(&index), index, hash);
        }
        by_directory
    }
}

/// Scans `root`; where nothing changed since `previous`, that comes back. Times of files may be as coarse as `grain`.
pub(super) fn scan(
    root: &Path,
    options: &FilesystemOptions,
    previous: Option<Arc<Scan>>,
    grain: Duration,
) -> Arc<Scan> {
    let is_same = |index: usize, now: &Descriptor| {
        let previous = previous.as_ref();
        previous.and_then(|it| it.snapshot.skills.get(index)) == Some(now)
    };
    let walk = Walk::new(root, options, previous.as_deref(), &is_same, grain);
    walked(walk).after(previous)
}

/// The same after a scan of another process. Its skills are read in a thread of their own, because nearly always only the
/// end of the scan needs them. None if they cannot be read.
#[cfg(target_os = "linux")]
pub(super) fn scan_restored(
    root: &Path,
    options: &FilesystemOptions,
    restored: RestoredScan,
    grain: Duration,
) -> Option<Arc<Scan>> {
    let RestoredScan { scan, skills } = restored;
    let (state, skills) = thread::scope(|scope| {
        let read = || skills.read(&scan.stamps);
        let reader = thread::Builder::new().spawn_scoped(scope, read).ok();
        let reader = Mutex::new(reader);
        let result: OnceLock<Option<Vec<Descriptor>>> = OnceLock::new();
        let join = || {
            let reader = reader.lock().unwrap_or_else(PoisonError::into_inner).take();
            match reader {
                Some(reader) => reader.join().ok().flatten(),
                // No thread could be started.
                None => read(),
            }
        };
        let is_same = |index: usize, now: &Descriptor| {
            let skills = result.get_or_init(join).as_ref();
            skills.and_then(|skills| skills.get(index)) == Some(now)
        };
        let state = walked(Walk::new(root, options, Some(&scan), &is_same, grain));
        result.get_or_init(join);
        (state, result.into_inner().flatten())
    });
    Some(state.after(Some(Arc::new(scan.with_skills(skills?)))))
}

fn walked(walk: Walk<'_>) -> State {
    let (root, options) = (walk.root, walk.options);
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() && !walk.may_lead_to(root) => {
            walk.warn(format!("{} is a link that {LEAVES}", name_of(root)));
        }
        Ok(metadata) if metadata.is_dir() => walk.run(),
        Ok(_) => walk.warn(format!("{} is not a directory", name_of(root))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !options.awaited {
                walk.warn(format!("{} does not exist", name_of(root)));
            }
        }
        Err(error) => walk.warn(format!("cannot read {}: {}", name_of(root), error.kind())),
    }
    let mut state = walk.finish();
    state.invalid.sort_by(|a, b| a.path.cmp(&b.path));
    state.warnings.sort();
    state
}

/// What a walk has found.
#[derive(Default)]
pub(super) struct State {
    /// Skills that are as they were: indices into the previous scan, and the state of the file now.
    pub(super) same: Vec<(usize, Stamp)>,
    pub(super) fresh: Vec<Found>,
    pub(super) invalid: Vec<Invalid>,
    pub(super) collections: BTreeMap<CollectionPath, String>,
    pub(super) warnings: Vec<String>,
    pub(super) listings: Listings,
    pub(super) hidden: usize,
}

impl State {
    /// The scan that follows from the one before.
    fn after(self, previous: Option<Arc<Scan>>) -> Arc<Scan> {
        match previous {
            Some(previous) if self.has_skills_of(&previous) => self.over(previous),
            previous => Arc::new(self.merged(previous)),
        }
    }

    fn has_skills_of(&self, previous: &Scan) -> bool {
        self.fresh.is_empty() && self.same.len() == previous.stamps.len()
    }

    /// The previous scan, with what is not a skill as it is now.
    fn over(self, previous: Arc<Scan>) -> Arc<Scan> {
        let before = &previous.snapshot;
        let is_same = self.invalid == before.invalid
            && self.collections == before.collections
            && self.warnings == before.warnings
            && self.hidden == before.hidden;
        let mut stamps = previous.stamps.clone();
        for (index, stamp) in self.same {
            if let Some(slot) = stamps.get_mut(index) {
                *slot = stamp;
            }
        }
        if is_same && self.listings == previous.listings && stamps == previous.stamps {
            return previous;
        }
        // A scan that was just read from the disk is not shared, so its skills are not copied.
        let mut scan = Arc::unwrap_or_clone(previous);
        scan.listings = self.listings;
        scan.stamps = stamps;
        if !is_same {
            let snapshot = Arc::make_mut(&mut scan.snapshot);
            snapshot.invalid = self.invalid;
            snapshot.collections = self.collections;
            snapshot.warnings = self.warnings;
            snapshot.hidden = self.hidden;
        }
        Arc::new(scan)
    }

    fn merged(mut self, previous: Option<Arc<Scan>>) -> Scan {
        if let Some(previous) = previous {
            let snapshot = Arc::unwrap_or_clone(Arc::unwrap_or_clone(previous).snapshot);
            let old = snapshot.skills.into_iter().zip(snapshot.directories);
            let mut old: Vec<Option<_>> = old.map(Some).collect();
            let taken = self.same.iter().filter_map(|(index, stamp)| {
                let (descriptor, directory) = old.get_mut(*index)?.take()?;
                Some(Found {
                    descriptor,
                    directory,
                    stamp: *stamp,
                })
            });
            self.fresh.extend(taken);
        }
        // Positions are sorted, because skills are large.
        let fresh = &self.fresh;
        let key = |at: usize| fresh.get(at).map(|it| (&it.descriptor.id, &it.directory));
        let mut order: Vec<usize> = (0..fresh.len()).collect();
        order.par_sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
        let count = order.len();
        let (mut skills, mut directories) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut stamps = Vec::with_capacity(count);
        let mut fresh: Vec<Option<Found>> = self.fresh.into_iter().map(Some).collect();
        for found in order.into_iter().filter_map(|at| fresh.get_mut(at)?.take()) {
            skills.push(found.descriptor);
            directories.push(found.directory);
            stamps.push(found.stamp);
        }
        let snapshot = Snapshot {
            skills,
            directories,
            invalid: self.invalid,
            collections: self.collections,
            warnings: self.warnings,
            hidden: self.hidden,
        };
        Scan::new(snapshot, stamps, self.listings)
    }
}
