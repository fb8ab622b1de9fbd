//! The program, run against a model that says what a script says.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests may panic"
)]

mod conversations;
mod model;

const PROGRAM: &str = env!("CARGO_BIN_EXE_prowess-example-genai");
