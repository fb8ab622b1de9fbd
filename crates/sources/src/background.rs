//! Blocking work off the caller's thread, whatever its runtime.

use std::cell::Cell;

use futures_channel::oneshot;
use prowess_core::SourceError;

thread_local! {
    /// Whether this thread may wait.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` on a thread that may wait, such as one of a pool for blocking work: what sources would hand to other
/// threads is done on this one. To wake two threads for each of a thousand files takes longer than to read them.
pub fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            WAITS.set(self.0);
        }
    }
    let _restore = Restore(WAITS.replace(true));
    work()
}

/// Runs `work` on the thread pool and waits for it without blocking.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceError> {
    if WAITS.get() {
        return Ok(work());
    }
    let (sender, receiver) = oneshot::channel();
    rayon::spawn(move || {
        // The receiver may be dropped; then the result is not needed.
        let _ = sender.send(work());
    });
    let lost = |_| SourceError::Unavailable("the task was cancelled".to_owned());
    receiver.await.map_err(lost)
}
