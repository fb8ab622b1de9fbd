//! The ids of events: a random part of this run of the server, and a number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::token_table::digits;

/// A run of the server. All chats share one counter, so that the id of an event is never that of another chat. Clones
/// share the counter.
#[derive(Clone)]
pub(crate) struct Run {
    name: Arc<str>,
    counter: Arc<AtomicU64>,
}

impl Run {
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 6];
        getrandom::fill(&mut bytes)?;
        Ok(Self {
            name: digits(&bytes).into(),
            counter: Arc::default(),
        })
    }

    /// The next number.
    pub(crate) fn next(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The last number that was used.
    pub(crate) fn current(&self) -> u64 {
        self.counter.load(Ordering::SeqCst)
    }

    pub(crate) fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.name)
    }

    /// The number of an id of this run.
    pub(crate) fn number(&self, id: &str) -> Option<u64> {
        let (name, number) = id.split_once('-')?;
        if *name != *self.name {
            return None;
        }
        number.parse().ok()
    }
}
