//! Blocking work off the caller's thread, whatever its runtime.

use futures_channel::oneshot;
use prowess_core::SourceError;

/// Runs `work` on the thread pool and waits for it without blocking.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceError> {
    let (sender, receiver) = oneshot::channel();
    rayon::spawn(move || {
        // The receiver may have gone away; then nobody wants the answer.
        let _ = sender.send(work());
    });
    let lost = |_| SourceError::Unavailable("the work was given up".to_owned());
    receiver.await.map_err(lost)
}
