//! Runs blocking work outside the caller's async runtime.

use std::cell::Cell;

use futures_channel::oneshot;
use prowess_core::SourceError;

thread_local! {
    /// Whether this thread may block.
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with the blocking tasks of sources on the current thread instead of the thread pool.
///
/// For threads that may block. Waking two threads for each of a thousand small files takes longer than reading them.
pub fn run_inline<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            MAY_BLOCK.set(self.0);
        }
    }
    let _restore = Restore(MAY_BLOCK.replace(true));
    work()
}

/// Runs `work` on the thread pool and waits for it without blocking.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceError> {
    if MAY_BLOCK.get() {
        return Ok(work());
    }
    let (sender, receiver) = oneshot::channel();
    rayon::spawn(move || {
        // The receiver may be dropped; then the result is not needed.
        let _ = sender.send(work());
    });
    let cancelled = |_| SourceError::Unavailable("the task was cancelled".to_owned());
    receiver.await.map_err(cancelled)
}
