//! Chats over HTTP: a server on a port, a store in a file, and a model that says what a test wants.
#![cfg(test)]

mod ag_ui;
#[path = "../support/client.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use the rest")]
mod client;
mod limits;
mod model;
mod resuming;
mod saved;
mod setup;
mod turns;
