//! The cache of a repository with packages, and its server.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::time::SystemTime;

use gix::{ObjectId, Repository};
use prowess_core::SourceError;

use super::fetch::{failed, open, unavailable};
use super::progress::Watcher;
use super::reference::{Reference, Target};
use super::server::{Contents, Conversation, add_pack};
use super::store::{Lock, Store, failed as disk_failed};
use crate::remote::{Network, RemoteOptions};

/// Commits of a history that are fetched to tell what changed.
const HISTORY: NonZeroU32 = NonZeroU32::MIN.saturating_add(99);

/// A repository of a server, and its place in the cache.
pub(super) struct Origin {
    url: gix::Url,
    store: Store,
    remote: RemoteOptions,
}

pub(super) fn offline(what: &str) -> SourceError {
    unavailable(format!(
        "cannot fetch from the repository: offline, and {what} is not cached"
    ))
}

impl Origin {
    pub(super) fn new(url: gix::Url, remote: &RemoteOptions) -> Result<Self, SourceError> {
        let Some(cache) = &remote.cache else {
            let message = "a git repository requires a cache directory";
            return Err(unavailable(message.to_owned()));
        };
        let text = url.to_bstring().to_string();
        Ok(Self {
            store: Store::of_packages(cache, &text),
            remote: remote.clone(),
            url,
        })
    }

    /// The commit of a reference, with its trees, and the repository of the cache.
    pub(super) fn open(
        &self,
        reference: &Reference,
    ) -> Result<(Repository, ObjectId), SourceError> {
        if let Some(commit) = self.cached(reference) {
            self.store.touch();
            return Ok((open(&self.store.repository())?, commit));
        }
        if self.remote.network == Network::Offline {
            let key = reference.key();
            return Err(offline(&format!("`{}`", key.escape_debug())));
        }
        let lock = Lock::take(&self.store)?;
        let progress = Watcher::new(self.remote.progress.as_ref());
        let mut server = Conversation::start(&self.url, &progress)?;
        let commit = match reference {
            Reference::Commit(id) => {
                self.add_commit(server, *id, &progress, &lock)?;
                *id
            }
            name => {
                let told = server.references(&name.candidates())?;
                let target = name.find(&told).ok_or_else(|| name.missing())?;
                if !self.has_commit(target.commit) {
                    self.add_target(&mut server, &target, &lock)?;
                }
                target.commit
            }
        };
        if !self.has_commit(commit) {
            return Err(reference.missing());
        }
        self.store
            .set_reference(&reference.key(), &commit.to_string(), &lock)?;
        self.store.touch();
        self.store.remove_unused_neighbours(SystemTime::now());
        Ok((open(&self.store.repository())?, commit))
    }

    /// The commit that is known without a question.
    fn cached(&self, reference: &Reference) -> Option<ObjectId> {
        let commit = match reference {
            Reference::Commit(id) => *id,
            _ if self.remote.network != Network::Offline => return None,
            name => ObjectId::from_hex(self.store.reference(&name.key())?.as_bytes()).ok()?,
        };
        Some(commit).filter(|commit| self.has_commit(*commit))
    }

    fn has_commit(&self, commit: ObjectId) -> bool {
        let directory = self.store.repository();
        directory.is_dir() && open(&directory).is_ok_and(|it| it.find_commit(commit).is_ok())
    }

    /// Fetches what a reference names, without its history.
    fn add_target(
        &self,
        server: &mut Conversation<'_>,
        target: &Target,
        lock: &Lock,
    ) -> Result<(), SourceError> {
        let contents = if server.can_filter() {
            Contents::WithoutFiles
        } else {
            Contents::All
        };
        self.fetch(
            server,
            &[target.wanted],
            contents,
            Some(NonZeroU32::MIN),
            lock,
        )
    }

    /// Fetches a commit by its digits; one that the server does not hand out alone comes with the whole history.
    fn add_commit(
        &self,
        mut server: Conversation<'_>,
        id: ObjectId,
        progress: &Watcher,
        lock: &Lock,
    ) -> Result<(), SourceError> {
        let target = Target {
            wanted: id,
            commit: id,
        };
        let Err(error) = self.add_target(&mut server, &target, lock) else {
            return Ok(());
        };
        let is_known = server.hands_out_any_commit();
        drop(server);
        if is_known && error.to_string().contains("not our ref") {
            return Err(Reference::Commit(id).missing());
        }
        let mut server = Conversation::start(&self.url, progress)?;
        let told = server.references(&["refs/heads/".to_owned(), "refs/tags/".to_owned()])?;
        let all = told.iter().filter_map(|reference| {
            let (name, target, _) = reference.unpack();
            let is_wanted = ["refs/heads/", "refs/tags/"]
                .iter()
                .any(|prefix| name.starts_with(prefix.as_bytes()));
            target.filter(|_| is_wanted).map(ToOwned::to_owned)
        });
        let all: BTreeSet<ObjectId> = all.collect();
        let all: Vec<ObjectId> = all.into_iter().collect();
        if all.is_empty() {
            return Err(error);
        }
        self.fetch(&mut server, &all, Contents::All, None, lock)
    }

    /// Fetches objects that are missing; from a server that does not hand them out, all of the commit.
    pub(super) fn add(
        &self,
        ids: BTreeSet<ObjectId>,
        missing: impl FnMut(&ObjectId) -> bool,
        commit: ObjectId,
    ) -> Result<(), SourceError> {
        if self.remote.network == Network::Offline {
            return Err(offline("one of the files"));
        }
        let lock = Lock::take(&self.store)?;
        // Another process may have fetched them meanwhile.
        let ids: Vec<ObjectId> = ids.into_iter().filter(missing).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let progress = Watcher::new(self.remote.progress.as_ref());
        let mut server = Conversation::start(&self.url, &progress)?;
        let fetched = self.fetch(&mut server, &ids, Contents::All, None, &lock);
        if fetched.is_ok() {
            return Ok(());
        }
        drop(server);
        let mut server = Conversation::start(&self.url, &progress)?;
        let depth = Some(NonZeroU32::MIN);
        self.fetch(&mut server, &[commit], Contents::All, depth, &lock)
    }

    /// Fetches older commits with their trees, where that costs little; whether it did.
    pub(super) fn add_history(&self, commit: ObjectId) -> Result<bool, SourceError> {
        if self.remote.network == Network::Offline {
            return Ok(false);
        }
        let lock = Lock::take(&self.store)?;
        let progress = Watcher::new(self.remote.progress.as_ref());
        let mut server = Conversation::start(&self.url, &progress)?;
        if !server.can_filter() {
            return Ok(false);
        }
        let contents = Contents::WithoutFiles;
        self.fetch(&mut server, &[commit], contents, Some(HISTORY), &lock)?;
        Ok(true)
    }

    /// Fetches objects into the cache; what arrives is added as a whole.
    fn fetch(
        &self,
        server: &mut Conversation<'_>,
        ids: &[ObjectId],
        contents: Contents,
        depth: Option<NonZeroU32>,
        lock: &Lock,
    ) -> Result<(), SourceError> {
        let unfinished = self.store.unfinished(lock)?;
        server.fetch(ids, contents, depth, unfinished.path())?;
        let directory = self.store.repository();
        if !directory.is_dir() {
            let empty = self.store.unfinished(lock)?;
            gix::init_bare(empty.path()).map_err(|error| failed("prepare the clone", &error))?;
            fs::rename(empty.path(), &directory).map_err(|error| disk_failed("write", &error))?;
        }
        add_pack(unfinished.path(), &directory).map_err(|error| disk_failed("write", &error))
    }
}
