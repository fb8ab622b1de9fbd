//! The console in a real browser. Each test has a scenario in `scenarios`, which `browser.cjs` runs.
#![cfg(test)]
#![cfg(unix)]

mod chat;
mod harness;
mod hostile;
mod pages;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../operating/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

pub(crate) use harness::{Console, nothing};
