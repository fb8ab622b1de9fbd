//! Packages of skills. Pure: nothing here opens a file or a connection.
//!
//! - [`PackageReference`]: where a user says that a skill comes from.
//! - [`AGENTS`]: the agents that read skills, and where.
//! - [`LockFile`]: `prowess.lock`, what a project has installed, byte for byte.

mod agents;
mod lock;
mod reference;

pub use agents::{AGENTS, Agent, UserHome};
pub use lock::{LockError, LockFile, LockedSkill};
pub use reference::{GitLocation, PackageReference, ReferenceError};
