//! Options of every remote source.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Whether the network may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// It may.
    #[default]
    Online,
    /// It must, now: cached data is used only for what cannot change, and if a source fails.
    Refresh,
    /// No network access: only cached data is used.
    Offline,
}

/// How far something slow has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The operation, for users.
    pub what: String,
    /// How much of it is done.
    pub done: u64,
    /// The total, if known.
    pub total: Option<u64>,
}

/// Receives progress of slow operations, on any thread.
pub type ProgressReport = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Options of every remote source.
#[derive(Clone, Default)]
pub struct RemoteOptions {
    /// Where to keep what was fetched; without it nothing outlives the process.
    pub cache: Option<PathBuf>,
    /// Whether the network may be used.
    pub network: Network,
    /// Receives progress of slow operations.
    pub progress: Option<ProgressReport>,
}

/// Reports the start of an operation of unknown length.
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
