//! Where skills live, one module for each kind of place.

mod background;
mod chain;
mod filesystem;

pub use chain::{ChainLink, UserDirectories, default_chain};
pub use filesystem::{FilesystemOptions, FilesystemSource, Strictness};
