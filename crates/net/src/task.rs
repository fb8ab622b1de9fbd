//! The runtime of network clients, whatever runtime the caller has.
//!
//! The clients need tokio. Callers that use tokio, another runtime or none share one small runtime, which starts with the
//! first request.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tracing::Instrument as _;

/// Threads of the runtime; there is little to compute.
const THREADS: usize = 2;

/// Why a task has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The system gives no threads.
    #[error("cannot start threads for the network: {0}")]
    NoThreads(String),
    /// It ended before it was done.
    #[error("the task was cancelled")]
    Cancelled,
}

fn runtime() -> Result<&'static Runtime, TaskError> {
    static RUNTIME: OnceLock<Result<Runtime, TaskError>> = OnceLock::new();
    let build = || {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("prowess-network")
            .enable_all()
            .build()
            .map_err(|error| TaskError::NoThreads(error.to_string()))
    };
    RUNTIME.get_or_init(build).as_ref().map_err(Clone::clone)
}

/// Runs a future on the network runtime. Dropping the returned future cancels it.
pub async fn run<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, TaskError> {
    // A log shows which request it is for.
    let mut task = CancelOnDrop(runtime()?.spawn(work.in_current_span()));
    (&mut task.0).await.map_err(|_| TaskError::Cancelled)
}

/// The result of a future on the network runtime, unless it takes longer.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, work).await.ok()
}

/// Runs work that blocks for as long as a network does.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TaskError> {
    let span = tracing::Span::current();
    let task = runtime()?.spawn_blocking(move || span.in_scope(work));
    task.await.map_err(|_| TaskError::Cancelled)
}

struct CancelOnDrop<T>(JoinHandle<T>);

impl<T> Drop for CancelOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
