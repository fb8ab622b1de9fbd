//! The server: any catalog, to any client.

mod connection;
mod directory;
mod index;
mod indexed;
mod instructions;
mod options;
mod page;
mod prompts;
mod resources;
mod shared;
mod skills;
mod spool;
mod tools;

pub use connection::Connection;
pub use options::ServerOptions;
pub use shared::SkillsServer;
pub(crate) use spool::Spool;
