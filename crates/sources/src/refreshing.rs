//! A cached remote value: fetched by one caller at a time, and preserved if a refresh fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use prowess_core::{Freshness, SourceError};

use crate::remote::Network;

/// How long to wait after a failure, the first time.
const FIRST_RETRY: Duration = Duration::from_secs(1);

/// How long what was fetched counts.
#[cfg_attr(
    not(all(feature = "git", feature = "http", feature = "sql")),
    allow(dead_code, reason = "each source has its own")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// It cannot change.
    Forever,
    /// It is fetched again after this time; after a failure sooner, and less and less so.
    Backoff(Duration),
    /// It is fetched again after this time, and so it is after a failure.
    Steady(Duration),
}

/// A value that is fetched on demand if it is missing or expired.
pub(crate) struct Refreshing<T> {
    lifetime: Lifetime,
    state: Mutex<State<T>>,
    /// Held while fetching.
    flight: tokio::sync::Mutex<()>,
}

struct State<T> {
    value: Option<Arc<T>>,
    refreshed: Option<SystemTime>,
    /// When to fetch again; nothing means at once.
    due: Option<Due>,
    failures: u32,
    problem: Option<SourceError>,
    /// How often it was fetched, successfully or not.
    flights: u64,
}

#[derive(Clone, Copy)]
enum Due {
    At(Instant),
    Never,
}

impl<T> Refreshing<T> {
    pub(crate) fn new(lifetime: Lifetime) -> Self {
        Self {
            lifetime,
            state: Mutex::new(State {
                value: None,
                refreshed: None,
                due: None,
                failures: 0,
                problem: None,
                flights: 0,
            }),
            flight: tokio::sync::Mutex::new(()),
        }
    }

    /// Takes a value cached by an earlier process; its expiry is unchanged, unless everything is to be fetched again.
    #[cfg_attr(not(any(feature = "git", feature = "http")), allow(dead_code))]
    pub(crate) fn seed(&self, value: Arc<T>, refreshed: SystemTime, network: Network) {
        let age = SystemTime::now().duration_since(refreshed).ok();
        let due = match self.lifetime {
            Lifetime::Forever => Some(Due::Never),
            _ if network == Network::Refresh => None,
            Lifetime::Backoff(time) | Lifetime::Steady(time) => {
                // Nothing is left of what is too old, or from the future.
                let left = age.and_then(|age| time.checked_sub(age));
                left.map(|left| Due::At(Instant::now() + left))
            }
        };
        let mut state = self.lock();
        state.value = Some(value);
        state.refreshed = Some(refreshed);
        state.due = due;
    }

    /// The cached value, of any age.
    pub(crate) fn current(&self) -> Option<Arc<T>> {
        self.lock().value.clone()
    }

    pub(crate) fn freshness(&self) -> Freshness {
        let state = self.lock();
        Freshness {
            refreshed: state.refreshed,
            stale: state.problem.as_ref().map(ToString::to_string),
        }
    }

    /// The value: the cached one while it is valid, else the result of `fetch`, else the cached one.
    pub(crate) async fn get<F>(
        &self,
        fetch: impl FnOnce(Option<Arc<T>>) -> F,
    ) -> Result<Arc<T>, SourceError>
    where
        F: Future<Output = Result<Arc<T>, SourceError>>,
    {
        let flights = {
            let state = self.lock();
            if let Some(answer) = state.answer() {
                return answer;
            }
            state.flights
        };
        let _flight = self.flight.lock().await;
        {
            let state = self.lock();
            // Another caller may have fetched it in the meantime, or failed to: waiting callers share the result.
            let shared = (state.flights != flights).then(|| state.outcome());
            if let Some(answer) = shared.flatten().or_else(|| state.answer()) {
                return answer;
            }
        }
        let fetched = fetch(self.current()).await;
        let mut state = self.lock();
        state.flights += 1;
        match fetched {
            Ok(value) => {
                state.value = Some(Arc::clone(&value));
                state.refreshed = Some(SystemTime::now());
                state.failures = 0;
                state.problem = None;
                state.due = Some(match self.lifetime {
                    Lifetime::Forever => Due::Never,
                    Lifetime::Backoff(time) | Lifetime::Steady(time) => {
                        Due::At(Instant::now() + time)
                    }
                });
                Ok(value)
            }
            Err(gone @ SourceError::NotFound(_)) => {
                state.value = None;
                state.due = None;
                state.failures = 0;
                state.problem = None;
                Err(gone)
            }
            Err(problem) => {
                state.failures += 1;
                state.due = Some(Due::At(Instant::now() + self.pause(state.failures)));
                state.problem = Some(problem.clone());
                state.value.clone().ok_or(problem)
            }
        }
    }

    fn pause(&self, failures: u32) -> Duration {
        let doubled = FIRST_RETRY.saturating_mul(1 << failures.saturating_sub(1).min(16));
        match self.lifetime {
            Lifetime::Forever => doubled,
            Lifetime::Backoff(time) => doubled.min(time),
            Lifetime::Steady(time) => time,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// The answer that needs no fetching.
    fn answer(&self) -> Option<Result<Arc<T>, SourceError>> {
        let waits = match self.due? {
            Due::At(due) => Instant::now() < due,
            Due::Never => true,
        };
        self.outcome().filter(|_| waits)
    }

    /// The result of the last fetch.
    fn outcome(&self) -> Option<Result<Arc<T>, SourceError>> {
        let value = self.value.clone().map(Ok);
        value.or_else(|| self.problem.clone().map(Err))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use pollster::block_on;

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn fails() -> Result<Arc<u32>, SourceError> {
        Err(SourceError::Unavailable("down".to_owned()))
    }

    #[test]
    fn valid_value_is_not_fetched() {
        let value = Refreshing::new(Lifetime::Backoff(HOUR));
        let fetches = Cell::new(0);
        for _ in 0..3 {
            let got = block_on(value.get(|_| async {
                fetches.set(fetches.get() + 1);
                Ok(Arc::new(7))
            }));
            assert_eq!(*got.unwrap(), 7);
        }
        assert_eq!(fetches.get(), 1);
        assert_eq!(value.freshness().stale, None);
    }

    #[test]
    fn expired_value_is_used_when_the_fetch_fails() {
        let value = Refreshing::new(Lifetime::Backoff(Duration::ZERO));
        block_on(value.get(|_| async { Ok(Arc::new(7)) })).unwrap();
        let got = block_on(value.get(|old| async move {
            assert_eq!(old.as_deref(), Some(&7));
            fails()
        }));
        assert_eq!(*got.unwrap(), 7);
        assert_eq!(value.freshness().stale.as_deref(), Some("down"));
        block_on(value.get(|_| async { Ok(Arc::new(8)) })).unwrap();
        assert_eq!(value.freshness().stale, None);
    }

    #[test]
    fn concurrent_callers_share_one_fetch() {
        let value = Refreshing::new(Lifetime::Backoff(Duration::ZERO));
        let fetches = Cell::new(0);
        let ask = || {
            value.get(|_| async {
                fetches.set(fetches.get() + 1);
                tokio::task::yield_now().await;
                fails()
            })
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let (a, b, c) = runtime
            .unwrap()
            .block_on(async { tokio::join!(ask(), ask(), ask()) });
        assert!(a.is_err() && b.is_err() && c.is_err());
        assert_eq!(fetches.get(), 1);
    }

    #[test]
    fn a_failure_is_not_repeated_at_once() {
        let value = Refreshing::new(Lifetime::Backoff(HOUR));
        assert!(block_on(value.get(|_| async { fails() })).is_err());
        let again = block_on(value.get(|_| async { Ok(Arc::new(1)) }));
        assert_eq!(again, Err(SourceError::Unavailable("down".to_owned())));
        assert_eq!(value.pause(1), FIRST_RETRY);
        assert_eq!(value.pause(3), FIRST_RETRY * 4);
        assert_eq!(value.pause(60), HOUR);
    }

    #[test]
    fn cached_value_is_valid_until_it_expires() {
        let value = Refreshing::new(Lifetime::Steady(HOUR));
        let age = SystemTime::now() - HOUR / 2;
        value.seed(Arc::new(1), age, Network::Refresh);
        assert_eq!(
            *block_on(value.get(|_| async { Ok(Arc::new(2)) })).unwrap(),
            2
        );
        value.seed(Arc::new(1), age, Network::Online);
        assert_eq!(*block_on(value.get(|_| async { fails() })).unwrap(), 1);
        let age = SystemTime::now() - HOUR * 2;
        value.seed(Arc::new(1), age, Network::Online);
        assert_eq!(
            *block_on(value.get(|_| async { Ok(Arc::new(2)) })).unwrap(),
            2
        );
        // A clock that was set back must not keep it forever.
        value.seed(Arc::new(1), SystemTime::now() + HOUR, Network::Online);
        assert_eq!(
            *block_on(value.get(|_| async { Ok(Arc::new(2)) })).unwrap(),
            2
        );
    }
}
