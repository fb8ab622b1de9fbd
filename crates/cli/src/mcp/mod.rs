//! Telling other programs that Prowess is there to be asked over MCP.

mod client;
mod edit;

pub(crate) use client::{Client, Scope, Target};
pub(crate) use edit::{added, snippet};
