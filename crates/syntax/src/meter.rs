//! How much work a parse has been.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::limits::TICK;

/// Counts ticks down.
///
/// A tick is a hundred steps of the parser. Where the steps are slow, as in recovering from many errors, it is a stretch of
/// processor time, so that ticks bound time as well. That is ten times what honest code takes.
pub(crate) struct Meter {
    allowed: usize,
    steps: usize,
    start: Duration,
}

impl Meter {
    pub(crate) fn new(allowed: usize) -> Self {
        Self {
            allowed,
            steps: 0,
            start: processor_time(),
        }
    }

    /// One more step; what is left afterwards.
    pub(crate) fn step(&mut self) -> usize {
        self.steps += 1;
        self.left()
    }

    pub(crate) fn left(&self) -> usize {
        let time = processor_time().saturating_sub(self.start);
        let ticks = usize::try_from(time.as_nanos() / TICK.as_nanos()).unwrap_or(usize::MAX);
        self.allowed.saturating_sub(ticks.max(self.steps))
    }
}

fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
