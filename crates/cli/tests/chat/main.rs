//! `prowess chat` as a program: in a terminal, in a pipe, for machines, and with models that fail.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

mod conformance;
#[path = "../../../agent/tests/agent/scripted.rs"]
#[allow(dead_code, reason = "the agent's own tests use the rest")]
mod scripted;
mod setup;
mod single_message;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod trust;
