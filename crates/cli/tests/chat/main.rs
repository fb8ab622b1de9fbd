//! `prowess chat` as a program: in a terminal, in a pipe, for machines, and with models that fail.
#![cfg(test)]
#![cfg(unix)]

mod cancelled;
mod commands;
mod conformance;
mod resume;
mod session;
mod setup;
mod single_message;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod trust;
