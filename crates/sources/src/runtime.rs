//! Where network work runs, whatever runtime the caller has.
//!
//! The clients underneath need tokio. A host that uses it, another runtime or none shares one small runtime
//! of ours, which starts when the first source of that kind is asked.

use std::sync::OnceLock;

use prowess_core::SourceError;
use tokio::runtime::{Builder, Runtime};

/// Threads for network work; there is little to compute.
const THREADS: usize = 2;

fn runtime() -> Result<&'static Runtime, SourceError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let build = || {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("prowess-sources")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())
    };
    let failed =
        |error: &String| SourceError::Unavailable(format!("no threads for network work: {error}"));
    RUNTIME.get_or_init(build).as_ref().map_err(failed)
}

fn lost<T>(_: T) -> SourceError {
    SourceError::Unavailable("the work was given up".to_owned())
}

/// Runs a future there.
#[cfg(any(feature = "http", feature = "sql"))]
pub(crate) async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, SourceError>> + Send + 'static,
) -> Result<T, SourceError> {
    runtime()?.spawn(work).await.map_err(lost)?
}

/// Runs work that blocks for as long as a network does.
#[cfg(feature = "git")]
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    runtime()?.spawn_blocking(work).await.map_err(lost)?
}
