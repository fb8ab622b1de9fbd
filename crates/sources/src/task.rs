//! Network work of sources.

use prowess_core::SourceError;
use prowess_net::TaskError;

#[cfg(any(feature = "http", feature = "sql"))]
pub(crate) async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, SourceError>> + Send + 'static,
) -> Result<T, SourceError> {
    prowess_net::run(work)
        .await
        .map_err(|error| unavailable(&error))?
}

#[cfg(any(feature = "git", feature = "sql"))]
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    prowess_net::run_blocking(work)
        .await
        .map_err(|error| unavailable(&error))?
}

fn unavailable(error: &TaskError) -> SourceError {
    SourceError::Unavailable(error.to_string())
}
