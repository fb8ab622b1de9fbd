//! Search: whether the right skill is found, and how fast. Run by `cargo xtask bench search`.
//!
//! With `--misses`, also which tuning tasks were not answered by the first hit.
#![cfg(test)]
#![allow(
    clippy::string_slice,
    clippy::cast_precision_loss,
    reason = "figures are rounded"
)]

#[path = "search/labelled.rs"]
mod labelled;
#[path = "search/quality.rs"]
mod quality;
#[path = "search/speed.rs"]
mod speed;

fn main() {
    let verbose = std::env::args().any(|argument| argument == "--misses");
    let (skills, tasks) = (labelled::skills(), labelled::tasks());
    quality::report(&skills, &tasks, verbose);
    speed::report(&skills, &tasks);
}
