//! How much the audit finds, how often it is wrong, and how fast it is.
//!
//! `cargo xtask bench audit` audits the attacks of the self-test and the skills of public packages, which it installs for
//! the run. `--highs` prints every finding of high severity in the public skills with its record in `judged.txt`,
//! `--speed` measures time only.

#![allow(clippy::print_stdout, clippy::print_stderr)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

#[path = "audit/blind.rs"]
mod blind;
#[path = "audit/packages.rs"]
mod packages;
#[path = "audit/public.rs"]
mod public;
#[path = "audit/rules.rs"]
mod rules;
#[path = "audit/self_test.rs"]
mod self_test;
#[path = "audit/speed.rs"]
mod speed;
#[path = "audit/versions.rs"]
mod versions;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let wants = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if wants("--highs") {
        return public::print_highs();
    }
    if !wants("--speed") {
        self_test::run();
        blind::run();
        public::run();
        versions::run();
    }
    speed::run();
}
