//! Answers of registries that were given before.

use std::time::{Duration, SystemTime};

/// How long an answer that may change is used.
pub(super) const MUTABLE: Duration = Duration::from_hours(1);

/// An answer of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedAnswer {
    /// The body.
    pub body: String,
    /// When it was given.
    pub fetched: SystemTime,
}

/// Where answers are stored. Nothing fails because of a cache: what cannot be read is not there.
pub trait ResponseCache: Send + Sync {
    /// The answer of a registry to a request.
    fn load(&self, registry: &str, request: &str) -> Option<CachedAnswer>;

    /// Stores an answer with the current time.
    fn save(&self, registry: &str, request: &str, body: &str);
}

/// No cache.
#[derive(Clone, Copy, Debug)]
pub struct NoCache;

impl ResponseCache for NoCache {
    fn load(&self, _: &str, _: &str) -> Option<CachedAnswer> {
        None
    }

    fn save(&self, _: &str, _: &str, _: &str) {}
}

/// How long an answer is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Validity {
    /// The next answer may differ.
    Mutable,
    /// It is the same for ever.
    Immutable,
}

impl CachedAnswer {
    /// Whether it can be used at this time without asking again.
    pub(super) fn is_fresh(&self, validity: Validity, now: SystemTime) -> bool {
        match validity {
            Validity::Immutable => true,
            // A clock that was set back makes an answer old, not young for ever.
            Validity::Mutable => now
                .duration_since(self.fetched)
                .is_ok_and(|age| age < MUTABLE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rg9_answers_that_may_change_are_used_for_one_hour() {
        let fetched = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let answer = CachedAnswer {
            body: String::new(),
            fetched,
        };
        for (seconds, expected) in [(0, true), (3_599, true), (3_600, false), (86_400, false)] {
            let now = fetched + Duration::from_secs(seconds);
            assert_eq!(answer.is_fresh(Validity::Mutable, now), expected);
            assert!(answer.is_fresh(Validity::Immutable, now));
        }
        let before = fetched - Duration::from_secs(10);
        assert!(!answer.is_fresh(Validity::Mutable, before));
    }
}
