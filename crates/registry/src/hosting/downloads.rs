//! Downloads, counted in memory and written together: one download costs no write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(super) struct DownloadCounts(Mutex<HashMap<(String, String), i64>>);

impl DownloadCounts {
    pub(super) fn add(&self, name: &str, version: &str, count: i64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), version.to_owned());
        *counts.entry(key).or_default() += count;
    }

    /// Takes what was counted.
    pub(super) fn take(&self) -> Vec<(String, String, i64)> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = std::mem::take(&mut *counts).into_iter();
        counts
            .map(|((name, version), count)| (name, version, count))
            .collect()
    }
}
