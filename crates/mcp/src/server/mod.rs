//! The server: any catalog, to any client.

mod code_skills;
mod connection;
mod digest_cache;
mod directory;
mod instructions;
mod options;
mod page;
mod prompts;
mod report;
mod resources;
mod shared;
mod skill_digests;
mod skills;
mod spool;
mod tools;

pub use code_skills::{Choice, Client, CodeResult, CodeSkills, UserAnswer};
pub use connection::Connection;
pub use options::ServerOptions;
pub use shared::SkillsServer;
pub(crate) use spool::Spool;
