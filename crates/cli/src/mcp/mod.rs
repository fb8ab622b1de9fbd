//! MCP clients: their configuration, and code skills for them.

mod client;
mod code;
mod edit;
mod install;

pub(crate) use code::ClientCodeSkills;
pub(crate) use install::{McpInstallArguments, McpUninstallArguments, install, uninstall};
