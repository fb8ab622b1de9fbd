//! The registry over HTTP, on SQLite with a directory and on PostgreSQL with S3.
#![cfg(test)]

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../../sources/tests/support/database.rs"]
mod database;
mod publishing;
mod reading;
mod setup;
#[path = "../support/mod.rs"]
mod support;
