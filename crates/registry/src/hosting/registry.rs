//! A registry, and what it does without being asked.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_policy::ContentDigest;
use prowess_scan::Rules;
use prowess_store::Store;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};

use super::downloads::DownloadCounts;
use super::error::HostingError;
use super::index::PackageIndex;
use crate::storage::PackageStorage;

/// How often the index follows the store, unless something was published here.
const REFRESH: Duration = Duration::from_secs(1);
/// How long the index rests after an update, as a multiple of its duration.
const REST: u32 = 4;
/// The longest rest.
const LONGEST_REST: Duration = Duration::from_secs(5);
/// How often downloads are written.
const WRITE_DOWNLOADS: u32 = 5;
/// How long stored bytes that no version refers to stay: a publish stores them before its version.
pub const UNUSED_GRACE: Duration = Duration::from_hours(24);
/// How often they are looked for.
const REMOVE_UNUSED: Duration = Duration::from_hours(1);
/// Packages that are unpacked at once: each may take 100 MiB.
const UNPACKED: usize = 2;

/// A registry. A clone is another handle.
#[derive(Clone)]
pub struct HostedRegistry(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) storage: PackageStorage,
    pub(super) rules: Rules,
    pub(super) index: PackageIndex,
    pub(super) downloads: DownloadCounts,
    /// Something was published here.
    pub(super) published: Notify,
    /// Bounds the packages that are unpacked at once.
    pub(super) unpacking: Semaphore,
}

impl HostedRegistry {
    /// Opens a registry and its index; packages are audited by `rules`. Call [`run`](Self::run) to keep the index up to date.
    pub async fn open(
        store: Store,
        storage: PackageStorage,
        rules: Rules,
    ) -> Result<Self, HostingError> {
        let index = PackageIndex::new();
        index.load(&store, &storage).await?;
        index.refresh(&store).await?;
        index.save(&storage).await;
        Ok(Self(Arc::new(Inner {
            store,
            storage,
            rules,
            index,
            downloads: DownloadCounts::default(),
            published: Notify::new(),
            unpacking: Semaphore::new(UNPACKED),
        })))
    }

    /// Keeps the index up to date, writes downloads and removes bytes without a version, until it is dropped.
    pub async fn run(&self) -> Infallible {
        tokio::select! {
            never = self.follow() => never,
            never = self.tidy() => never,
        }
    }

    async fn tidy(&self) -> Infallible {
        loop {
            match self.remove_unused().await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "removed packages without a version"),
                Err(error) => tracing::warn!("cannot remove packages without a version: {error}"),
            }
            sleep(REMOVE_UNUSED).await;
        }
    }

    async fn follow(&self) -> Infallible {
        let mut round = 0_u32;
        loop {
            let _ = timeout(REFRESH, self.0.published.notified()).await;
            let began = Instant::now();
            if let Err(error) = self.refresh().await {
                tracing::warn!("cannot update the search index: {error}");
                sleep(REFRESH).await;
            }
            self.0.index.save(&self.0.storage).await;
            // An update of a large index is work for a core: most of its time is for requests.
            sleep((began.elapsed() * REST).min(LONGEST_REST)).await;
            round = round.wrapping_add(1);
            if round.is_multiple_of(WRITE_DOWNLOADS) {
                self.write_downloads().await;
            }
        }
    }

    /// Follows the store now.
    pub async fn refresh(&self) -> Result<(), HostingError> {
        self.0.index.refresh(&self.0.store).await.map(|_| ())
    }

    /// Writes the downloads that were counted; those that cannot be written are counted again.
    pub async fn write_downloads(&self) {
        let counts = self.0.downloads.take();
        if counts.is_empty() {
            return;
        }
        if let Err(error) = self.0.store.add_downloads(counts.clone()).await {
            tracing::warn!("cannot write downloads: {error}");
            for (name, version, count) in counts {
                self.0.downloads.add(&name, &version, count);
            }
        }
    }

    /// Whether the storage of packages can be used.
    pub async fn check(&self) -> Result<(), HostingError> {
        self.0.store.registry_changes().await?;
        Ok(self.0.storage.check().await?)
    }

    /// Removes packages that no version refers to and that are older than [`UNUSED_GRACE`]. Returns how many.
    pub async fn remove_unused(&self) -> Result<usize, HostingError> {
        let used: HashSet<String> = self.0.store.digests().await?.into_iter().collect();
        if used.is_empty() {
            // A store without any version is rather a wrong one than the reason to remove everything.
            return Ok(0);
        }
        let is_used = move |digest: ContentDigest| used.contains(&digest.to_string());
        Ok(self.0.storage.remove_unused(is_used, UNUSED_GRACE).await?)
    }

    /// How many packages there are.
    pub fn len(&self) -> usize {
        self.0.index.current().packages.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
