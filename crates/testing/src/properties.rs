//! Property tests.

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};

use crate::random::new_seed;

/// So many cases, other ones in every run. One that fails is kept in the directory of the crate, and is tried first from then
/// on: commit it.
pub fn properties(cases: u32) -> Config {
    let kept = FileFailurePersistence::Direct("proptest-regressions.txt");
    Config {
        cases,
        rng_seed: RngSeed::Fixed(new_seed()),
        failure_persistence: Some(Box::new(kept)),
        ..Config::default()
    }
}
