//! A little chance, so that many clients do not come back at the same moment.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Between half of a time and all of it.
pub(crate) fn jittered(time: Duration) -> Duration {
    // The standard library seeds its hashers with randomness of the system's.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u8(0);
    let share = u32::try_from(hasher.finish() % 1_000).unwrap_or_default();
    time / 2 + time * share / 2_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_between_half_and_the_whole() {
        let time = Duration::from_secs(2);
        for _ in 0..100 {
            let some = jittered(time);
            assert!(some >= time / 2 && some <= time, "{some:?}");
        }
        assert_eq!(jittered(Duration::ZERO), Duration::ZERO);
    }
}
