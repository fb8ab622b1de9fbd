//! What was acknowledged is there: stores that fail, disks that are full, signals at any moment.
#![cfg(test)]
#![cfg(unix)]

#[path = "../serve_chats/server.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod server;
#[path = "../chat/session.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod session;
#[path = "../chat/setup.rs"]
#[allow(dead_code, reason = "the other tests use more of it")]
mod setup;
#[path = "../support/mod.rs"]
mod support;

mod copies;
mod holder;
mod interrupts;
mod refused_store;
mod replaced_store;
mod skills_on_disk;
mod unsaved;
