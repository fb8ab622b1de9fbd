//! The program, run against a model that says what a script says; it does what the one over `genai` does.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests may panic"
)]

#[path = "../../genai-loop/tests/program/conversations.rs"]
mod conversations;
#[path = "../../genai-loop/tests/program/model.rs"]
mod model;

const PROGRAM: &str = env!("CARGO_BIN_EXE_prowess-example-rig");
