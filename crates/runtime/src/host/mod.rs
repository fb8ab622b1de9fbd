//! What a skill's code may ask its host for. Every call passes the skill's gate first.

mod command_reach;
mod environment;
mod exec;
mod fetch;
mod files;
mod git;
mod git_isolation;
mod model;
mod skill_host;

pub use command_reach::CommandReach;
pub use environment::Environment;
pub use fetch::PrivateHosts;
pub use files::{FileError, ProjectFiles};
pub use model::Model;
pub(crate) use skill_host::Invoke;
pub use skill_host::{Services, SkillHost};
