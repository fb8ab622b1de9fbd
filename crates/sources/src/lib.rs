//! Where skills live, one module for each kind of place.

mod background;
mod chain;
mod embedded;
mod filesystem;
mod open;
mod records;
mod sessions;
mod watch;

pub use chain::{ChainLink, UserDirectories, default_chain};
pub use embedded::embedded;
pub use filesystem::{FilesystemOptions, FilesystemSource, Strictness};
pub use open::open_without_waiting;
pub use records::{SkillRecord, records};
pub use sessions::SessionDirectory;
pub use watch::{Watch, WatchError, watch};
