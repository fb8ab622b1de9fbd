//! Search: whether the right skill is found, and how fast. Run by `cargo xtask bench search`.
//!
//! With `--misses`, also which tuning tasks were not answered by the first hit.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::cast_precision_loss,
    reason = "a benchmark prints a table and stops when anything is odd"
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
