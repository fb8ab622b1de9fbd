//! The rate limit of several servers with one store.

use std::convert::Infallible;
use std::time::Duration;

use prowess_server::RateLimits;
use prowess_store::{RateExchange, Store};
use tokio::time::{sleep, timeout};

/// How often servers exchange what they have counted.
const EXCHANGE: Duration = Duration::from_secs(1);
/// How long an exchange may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Exchanges counts with other servers, if there can be any. While the store fails, each server has the limit for itself.
pub(super) async fn share_rate_limits(store: &Store, limits: RateLimits) -> Infallible {
    if !(store.is_shared() && limits.is_limited()) {
        return std::future::pending().await;
    }
    let mut exchange = RateExchange::default();
    let mut is_failing = false;
    loop {
        sleep(EXCHANGE).await;
        let counts = limits.take_counts();
        let failure = match timeout(LIMIT, store.exchange_rates(&mut exchange, counts)).await {
            Ok(Ok(others)) => {
                limits.deduct(others);
                None
            }
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("timed out after {} s", LIMIT.as_secs())),
        };
        if let Some(error) = failure.as_ref().filter(|_| !is_failing) {
            tracing::warn!(error, "cannot share rate limits with other servers");
        }
        is_failing = failure.is_some();
    }
}
