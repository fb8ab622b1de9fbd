//! Stopping a turn from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A request to cancel a turn. Clones share the request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: AtomicBool,
    told: Notify,
}

impl Cancel {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the turn as soon as it can.
    pub fn cancel(&self) {
        self.0.asked.store(true, Ordering::Release);
        self.0.told.notify_waiters();
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Waits until cancellation is requested.
    pub async fn cancelled(&self) {
        let mut told = std::pin::pin!(self.0.told.notified());
        // Subscribe before checking, so that no request is missed.
        told.as_mut().enable();
        if !self.is_cancelled() {
            told.await;
        }
    }

    /// The output of `work`, or `None` if it was cancelled first.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => None,
            done = work => Some(done),
        }
    }
}
