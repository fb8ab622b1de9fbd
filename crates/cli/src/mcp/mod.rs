//! Adds Prowess to the configuration of MCP clients.

mod client;
mod edit;

pub(crate) use client::{Client, Scope, Target};
pub(crate) use edit::{added, snippet};
