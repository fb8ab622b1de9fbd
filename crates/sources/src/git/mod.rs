//! Skills of a git repository.
//!
//! The repository is fetched into the cache, and the tree of its commit is written beside it: skills are read from
//! there as from any other directory. Everything on disk is written to a temporary name and renamed, so that it is
//! always complete; a lock file separates processes. `git` itself is never started; for ssh the client of the system
//! is.
//!
//! A package needs less: [`GitCommit`] fetches the trees of one commit, and then the files that are asked for.
//!
//! | limit | what |
//! |---|---|
//! | 100,000 | files and directories of a tree |
//! | 512 MiB | bytes of a tree |
//! | 50 MiB | one file; a larger one is left out |

mod checkout;
mod commit;
mod connect;
mod fetch;
mod history;
mod origin;
mod progress;
mod reference;
mod server;
mod ssh;
mod store;
mod tree;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use async_trait::async_trait;
use prowess_config::{Git, GitLocation, GitRef, Url};
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, Scope, SkillId, Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;

use crate::collection::Root;
use crate::filesystem::{FilesystemOptions, FilesystemSource, Links, Strictness};
use crate::refreshing::{Lifetime, Refreshing};
use crate::remote::{Network, RemoteOptions};
use crate::task;
use store::{Lock, Store};

pub use commit::{GitCommit, git_heads};
pub use history::{GitChange, GitChanges};
pub use tree::{GitFile, GitFiles, GitSkill};

/// A source over a git repository. Nothing is fetched before first use.
///
/// A branch is fetched again when its time is over; a tag or a commit, once it is there, never.
pub struct GitSource {
    inner: Arc<Inner>,
}

struct Inner {
    options: Git,
    strictness: Strictness,
    remote: RemoteOptions,
    current: Refreshing<Checkout>,
    /// Whether the disk was read for the state of an earlier process.
    seeded: OnceLock<()>,
}

/// The tree of one commit, on disk.
struct Checkout {
    commit: String,
    files: FilesystemSource,
    warnings: Vec<String>,
    /// Its snapshot; a commit does not change, so it is scanned once.
    snapshot: tokio::sync::OnceCell<Arc<Snapshot>>,
}

impl Checkout {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let look = || async {
            let mut snapshot = Snapshot::clone(&*self.files.snapshot().await?);
            snapshot.warnings.extend_from_slice(&self.warnings);
            Ok(Arc::new(snapshot))
        };
        self.snapshot.get_or_try_init(look).await.cloned()
    }
}

impl GitSource {
    /// The skills of a repository, stored in the cache of `remote`.
    pub fn new(options: Git, strictness: Strictness, remote: RemoteOptions) -> Self {
        let lifetime = match &options.reference {
            Some(GitRef::Tag(_) | GitRef::Commit(_)) => Lifetime::Forever,
            Some(GitRef::Branch(_)) | None => Lifetime::Steady(options.refresh),
        };
        Self {
            inner: Arc::new(Inner {
                options,
                strictness,
                remote,
                current: Refreshing::new(lifetime),
                seeded: OnceLock::new(),
            }),
        }
    }
}

impl Inner {
    async fn checkout(self: &Arc<Self>) -> Result<Arc<Checkout>, SourceError> {
        if self.seeded.get().is_none() {
            let inner = Arc::clone(self);
            task::run_blocking(move || {
                inner.seeded.get_or_init(|| inner.seed());
                Ok(())
            })
            .await?;
        }
        let inner = Arc::clone(self);
        let fetch = |old| task::run_blocking(move || inner.synchronise(old));
        self.current.get(fetch).await
    }

    fn store(&self) -> Result<Store, SourceError> {
        let Some(cache) = &self.remote.cache else {
            let message = "a git repository requires a cache directory";
            return Err(SourceError::Unavailable(message.to_owned()));
        };
        Ok(Store::new(cache, &self.options))
    }

    /// Takes what an earlier process left.
    fn seed(&self) {
        if let Ok(store) = self.store()
            && let Some(state) = store.state()
            && let Some(tree) = store.tree(&state.commit)
        {
            let refreshed = state.refreshed();
            let checkout = self.open(state.commit, &tree, state.warnings);
            self.current
                .seed(Arc::new(checkout), refreshed, self.remote.network);
        }
    }

    fn open(&self, commit: String, tree: &Path, warnings: Vec<String>) -> Checkout {
        let mut options = FilesystemOptions::new(Scope::Remote);
        options.strictness = self.strictness;
        if self.options.skills_root.is_none() {
            options.root = Root::Repository;
        }
        options.links = Links::Below([tree.to_owned()].into());
        Checkout {
            commit,
            files: FilesystemSource::new(tree, options),
            warnings,
            snapshot: tokio::sync::OnceCell::new(),
        }
    }

    /// Fetches, and writes the tree if it is another one.
    fn synchronise(&self, old: Option<Arc<Checkout>>) -> Result<Arc<Checkout>, SourceError> {
        let local = matches!(self.options.url, GitLocation::Local(_));
        if self.remote.network == Network::Offline && !local {
            return Err(SourceError::Unavailable("offline".to_owned()));
        }
        let store = self.store()?;
        let lock = Lock::take(&store)?;
        // Another process may have fetched while we waited.
        if let Some(state) = store.state()
            && let Some(tree) = store.tree(&state.commit)
            && self.remote.network != Network::Refresh
            && self.still_counts(state.refreshed())
        {
            return Ok(Arc::new(self.open(state.commit, &tree, state.warnings)));
        }
        let progress = progress::Watcher::new(self.remote.progress.as_ref());
        prowess_net::install_tls_provider();
        let began = Instant::now();
        let fetched = fetch::fetch(&self.options, &store, &lock, &progress);
        let duration_ms = began.elapsed().as_secs_f64() * 1e3;
        let host = self.options.url.server().map(Url::host).unwrap_or_default();
        tracing::debug!(
            host,
            ok = fetched.is_ok(),
            duration_ms,
            "fetched a repository"
        );
        let (repository, commit) = fetched?;
        let id = commit.to_string();
        let (tree, warnings) = match (store.tree(&id), store.state()) {
            (Some(tree), Some(state)) if state.commit == id => (tree, state.warnings),
            _ => {
                let root = self.options.skills_root.as_ref();
                checkout::checkout(&repository, commit, root, &store, &lock)?
            }
        };
        store.save(&id, &warnings, &lock)?;
        Ok(old
            .filter(|old| old.commit == id)
            .unwrap_or_else(|| Arc::new(self.open(id, &tree, warnings))))
    }

    fn still_counts(&self, refreshed: SystemTime) -> bool {
        match &self.options.reference {
            Some(GitRef::Tag(_) | GitRef::Commit(_)) => true,
            Some(GitRef::Branch(_)) | None => SystemTime::now()
                .duration_since(refreshed)
                .is_ok_and(|age| age < self.options.refresh),
        }
    }
}

#[async_trait]
impl Source for GitSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        self.inner.checkout().await?.snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.inner.checkout().await?.files.load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.inner.checkout().await?.files.files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let checkout = self.inner.checkout().await?;
        checkout.files.read(id, path, offset, limit).await
    }

    fn location(&self, id: &SkillId) -> Option<String> {
        self.inner.current.current()?.files.location(id)
    }

    fn freshness(&self) -> Freshness {
        self.inner.current.freshness()
    }
}
