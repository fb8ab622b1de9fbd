//! The registry of `prowess serve` as it is operated: replicas, kills, outages, and what each of them leaves behind.
#![cfg(test)]
#![cfg(unix)]

mod client;
mod clock;
mod conflicts;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../../sources/tests/support/database.rs"]
mod database;
mod deployment;
mod documented;
mod hostile;
mod killed;
mod limits;
mod outages;
mod ranking;
mod replicas;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../operating/server.rs"]
mod server;
mod start;
#[path = "../support/mod.rs"]
mod support;
