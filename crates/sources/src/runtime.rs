//! Where network work runs, whatever runtime the caller has.
//!
//! The clients underneath need tokio. A host that uses it, another runtime or none shares one small runtime
//! of ours, which starts when the first source of that kind is asked.

use std::sync::OnceLock;

use prowess_core::SourceError;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Threads for network work; there is little to compute.
const THREADS: usize = 2;

/// Why work was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// The system gives no threads.
    #[error("no threads for network work: {0}")]
    NoThreads(String),
    /// It ended before it was done.
    #[error("the work was given up")]
    GivenUp,
}

impl From<Lost> for SourceError {
    fn from(lost: Lost) -> Self {
        Self::Unavailable(lost.to_string())
    }
}

fn runtime() -> Result<&'static Runtime, Lost> {
    static RUNTIME: OnceLock<Result<Runtime, Lost>> = OnceLock::new();
    let build = || {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("prowess-network")
            .enable_all()
            .build()
            .map_err(|error| Lost::NoThreads(error.to_string()))
    };
    RUNTIME.get_or_init(build).as_ref().map_err(Clone::clone)
}

/// Runs a future on the runtime for network work; it ends when nobody waits for it any more.
pub async fn on_network_runtime<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Lost> {
    let mut task = Task(runtime()?.spawn(work));
    (&mut task.0).await.map_err(|_| Lost::GivenUp)
}

struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The same for work of a source.
#[cfg(any(feature = "http", feature = "sql"))]
pub(crate) async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, SourceError>> + Send + 'static,
) -> Result<T, SourceError> {
    on_network_runtime(work).await?
}

/// Runs work that blocks for as long as a network does.
#[cfg(any(feature = "git", feature = "sql"))]
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    let task = runtime()?.spawn_blocking(work);
    task.await.map_err(|_| Lost::GivenUp)?
}
