//! Where connections live, whatever runtime the caller has.

use std::sync::OnceLock;

use prowess_core::SourceError;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Threads for connections; there is little to compute.
const THREADS: usize = 2;

fn runtime() -> Result<&'static Runtime, SourceError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let build = || {
        Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("prowess-mcp")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())
    };
    let failed =
        |error: &String| SourceError::Unavailable(format!("no threads for connections: {error}"));
    RUNTIME.get_or_init(build).as_ref().map_err(failed)
}

/// Runs a future there.
pub(super) async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, SourceError>> + Send + 'static,
) -> Result<T, SourceError> {
    let lost = |_| SourceError::Unavailable("the work was given up".to_owned());
    let mut given = Given(runtime()?.spawn(work));
    (&mut given.0).await.map_err(lost)?
}

/// Work that ends when nobody waits for it any more, and lets go of the programs that it started.
struct Given<T>(JoinHandle<T>);

impl<T> Drop for Given<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
