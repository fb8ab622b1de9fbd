//! Runs blocking work outside the caller's async runtime.

use std::cell::Cell;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

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

/// Where the thread that works leaves the result, and who waits for it.
enum Slot<T> {
    Empty(Option<Waker>),
    /// `None` if the work panicked.
    Done(Option<T>),
}

/// The end of the thread that works; dropped without a result, it wakes the other end all the same.
struct Sender<T> {
    slot: Arc<Mutex<Slot<T>>>,
    result: Option<T>,
}

impl<T> Sender<T> {
    fn send(mut self, result: T) {
        self.result = Some(result);
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let done = Slot::Done(self.result.take());
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *slot, done);
        drop(slot);
        if let Slot::Empty(Some(waker)) = before {
            waker.wake();
        }
    }
}

/// Runs `work` on the thread pool and waits for it without blocking.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SourceError> {
    if MAY_BLOCK.get() {
        return Ok(work());
    }
    let slot = Arc::new(Mutex::new(Slot::Empty(None)));
    let sender = Sender {
        slot: Arc::clone(&slot),
        result: None,
    };
    rayon::spawn(move || sender.send(work()));
    let result = poll_fn(|context| {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *slot {
            Slot::Done(result) => Poll::Ready(result.take()),
            Slot::Empty(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    });
    let cancelled = || SourceError::Unavailable("the task was cancelled".to_owned());
    result.await.ok_or_else(cancelled)
}
