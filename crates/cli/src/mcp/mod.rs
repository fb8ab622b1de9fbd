//! MCP clients: their configuration, and code skills for them.

mod client;
mod code;
mod edit;

pub(crate) use client::{Client, Scope, Target};
pub(crate) use code::ClientCodeSkills;
pub(crate) use edit::{added, snippet};
