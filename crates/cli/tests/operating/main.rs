//! Operating `prowess serve`: logs, limits, the console, stopping, and secrets that appear nowhere.
#![cfg(test)]
#![cfg(unix)]

mod administration;
mod canary;
mod console;
mod limits;
mod log;
mod server;
mod stop;
#[path = "../support/mod.rs"]
mod support;
