//! Keeping up with the sources.

use std::convert::Infallible;
use std::time::Duration;

use prowess_core::Skills;
use tokio::time::sleep;

use crate::limits::REFRESH;

/// Asks the sources again and again, `every` time, until it is dropped; at most once a second.
///
/// Sources far away decide themselves whether they ask their server.
pub async fn keep_fresh(skills: Skills, every: Duration) -> Infallible {
    loop {
        sleep(every.max(REFRESH)).await;
        skills.refresh().await;
    }
}
