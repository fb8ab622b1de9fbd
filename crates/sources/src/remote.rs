//! What every source far away is told.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Whether the network may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// It may.
    #[default]
    Online,
    /// It may not: what was kept is all there is.
    Offline,
}

/// How far something slow has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, for people.
    pub what: String,
    /// How much of it is done.
    pub done: u64,
    /// How much there is, where that is known.
    pub total: Option<u64>,
}

/// Hears how far something slow has come, on any thread.
pub type ProgressReport = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What every source far away is told.
#[derive(Clone, Default)]
pub struct RemoteOptions {
    /// Where to keep what was fetched; without it nothing outlives the process.
    pub cache: Option<PathBuf>,
    /// Whether the network may be used.
    pub network: Network,
    /// Hears how far something slow has come.
    pub progress: Option<ProgressReport>,
}

/// Says that something begins of which nobody knows how long it takes.
#[cfg(any(feature = "git", feature = "http", feature = "sql"))]
pub(crate) fn begin(report: Option<&ProgressReport>, what: &str) {
    if let Some(report) = report {
        report(&Progress {
            what: what.to_owned(),
            done: 0,
            total: None,
        });
    }
}

impl fmt::Debug for RemoteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions")
            .field("cache", &self.cache)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}
