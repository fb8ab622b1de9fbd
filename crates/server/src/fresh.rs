//! Keeping up with the sources.

use std::convert::Infallible;
use std::time::Duration;

use prowess_core::Skills;
use tokio::time::{Instant, sleep};

use crate::limits::REFRESH;

/// Refreshes the sources at the interval `every`, at most once a second, until it is dropped.
///
/// Remote sources decide themselves whether to contact their server.
pub async fn keep_fresh(skills: Skills, every: Duration) -> Infallible {
    loop {
        sleep(every.max(REFRESH)).await;
        let began = Instant::now();
        let catalog = skills.refresh().await;
        let duration_ms = began.elapsed().as_secs_f64() * 1e3;
        tracing::debug!(
            skills = catalog.len(),
            duration_ms,
            "sources were refreshed"
        );
    }
}
