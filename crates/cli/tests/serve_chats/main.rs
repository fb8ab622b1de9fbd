//! The chats of `prowess serve`, as a program: approvals, AG-UI, signals and options.
#![cfg(test)]
#![cfg(unix)]

mod ag_ui;
mod approvals;
mod program;
mod scripts;
mod server;
#[path = "../support/mod.rs"]
mod support;
