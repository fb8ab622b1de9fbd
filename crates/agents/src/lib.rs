//! The agents that read skills, and the files that each of them trusts.
//!
//! [`AGENTS`] is the only list of agents in the workspace: where skills are searched and installed, which files list MCP
//! servers, and what a program of a skill must not write follows from it. It is written from `agents.toml`.
//!
//! ```
//! let agent = prowess_agents::Agent::named("copilot-cli").expect("an alias");
//! assert_eq!(agent.id, "github-copilot");
//! assert_eq!(agent.project, Some(".agents/skills"));
//! ```

mod agent;
mod directories;
mod files;
mod find;
#[rustfmt::skip]
mod table;

pub use agent::{Agent, HookFiles, McpFiles, McpForm, MovedBy, UserDirectory, UserHome};
pub use directories::{HOME_VARIABLES, in_config, in_home, in_project};
pub use files::{AgentFile, AgentFileKind, project_files, user_files};
pub use table::AGENTS;
