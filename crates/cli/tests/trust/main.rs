//! The trust contract, through the real program.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod approvals;
mod hostile;
mod page;
mod trace;
