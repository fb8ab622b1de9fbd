//! Limits of the log output of a skill.

use std::sync::{Mutex, PoisonError};

use crate::limits::{LOG_BYTES, LOG_LINES};

/// The remaining log budget of a call, reset by [`Self::renew`].
#[derive(Debug, Default)]
pub(crate) struct LogBudget(Mutex<Used>);

#[derive(Debug, Default)]
struct Used {
    lines: usize,
    bytes: usize,
    is_spent: bool,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogShare {
    /// It is logged.
    Logged,
    /// It is the first dropped line.
    FirstDropped,
    /// It is dropped.
    Dropped,
}

impl LogBudget {
    /// Takes the budget of a line.
    pub(crate) fn take(&self, bytes: usize) -> LogShare {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.is_spent {
            return LogShare::Dropped;
        }
        used.lines += 1;
        used.bytes = used.bytes.saturating_add(bytes);
        used.is_spent = used.lines > LOG_LINES || used.bytes > LOG_BYTES;
        if used.is_spent {
            LogShare::FirstDropped
        } else {
            LogShare::Logged
        }
    }

    /// Resets the budget.
    pub(crate) fn renew(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Used::default();
    }
}
