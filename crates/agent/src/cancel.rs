//! Stopping a turn from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Somebody's wish that a turn should end. A clone is the same wish.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    asked: AtomicBool,
    told: Notify,
}

impl Cancel {
    /// Nobody wishes anything yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the turn as soon as it can.
    pub fn cancel(&self) {
        self.0.asked.store(true, Ordering::Release);
        self.0.told.notify_waiters();
    }

    /// Whether somebody did.
    pub fn is_cancelled(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Waits until somebody does.
    pub async fn cancelled(&self) {
        let mut told = std::pin::pin!(self.0.told.notified());
        // Listening first, looking then: nobody can ask in between.
        told.as_mut().enable();
        if !self.is_cancelled() {
            told.await;
        }
    }

    /// What `work` comes to, or nothing if it was cancelled first.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => None,
            done = work => Some(done),
        }
    }
}
