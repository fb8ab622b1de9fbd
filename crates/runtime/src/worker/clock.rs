//! Time in which a worker waits for the host, which does not count as its own.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(super) struct Clock(Mutex<Waits>);

#[derive(Debug, Default)]
struct Waits {
    running: usize,
    since: Option<Instant>,
    total: Duration,
}

impl Clock {
    fn change<T>(&self, change: impl FnOnce(&mut Waits) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn begin(&self) {
        self.change(|waits| {
            waits.running += 1;
            waits.since.get_or_insert_with(Instant::now);
        });
    }

    pub(super) fn end(&self) {
        self.change(|waits| {
            waits.running = waits.running.saturating_sub(1);
            if waits.running == 0
                && let Some(since) = waits.since.take()
            {
                waits.total += since.elapsed();
            }
        });
    }

    /// The total time of waiting.
    pub(super) fn waited(&self) -> Duration {
        self.change(|waits| {
            waits.total + waits.since.map_or(Duration::ZERO, |since| since.elapsed())
        })
    }
}
