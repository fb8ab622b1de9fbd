//! In which order: a linear function of the features, with learned weights.

use super::features::{COUNT, Features};
use super::score::real;

/// For each feature, its weight for a short query, and what is added for a long one.
///
/// Data, written by `cargo xtask bench search --train` from the tuning half of the labelled tasks.
pub(super) const WEIGHTS: [[f32; 2]; COUNT] = include!("ranker.in");

/// Words of a query that is long.
const LONG: u32 = 10;

/// How long a query of so many known words is, from 0 to 1.
pub(super) fn length(terms: u32) -> f32 {
    real(terms.min(LONG)) / real(LONG)
}

/// What each feature adds for a query of this length.
pub(super) fn contributions(features: &Features, length: f32) -> Features {
    let mut contributions = *features;
    for (value, [short, long]) in contributions.iter_mut().zip(WEIGHTS) {
        *value *= short + length * long;
    }
    contributions
}

/// How well a skill fits.
pub(super) fn fit(features: &Features, length: f32) -> f32 {
    contributions(features, length).iter().sum()
}
