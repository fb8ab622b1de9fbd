//! Calls of a skill's code to the host. Each call passes the skill's gate.

mod environment;
mod exec;
mod fetch;
mod files;
mod git;
mod git_isolation;
mod lasting;
mod log_budget;
mod model;
mod services;
mod skill_files;
mod skill_host;

pub use environment::Environment;
pub use fetch::PrivateHosts;
pub use files::{FileError, ProjectFiles};
pub use model::Model;
pub(crate) use services::Invoke;
pub use services::{Allowances, Services};
pub use skill_host::SkillHost;
