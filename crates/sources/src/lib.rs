//! Sources of skills, one module for each kind.

mod archive;
mod background;
mod chain;
mod collection;
mod filesystem;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "http")]
mod http;
mod open;
mod records;
#[cfg(any(feature = "git", feature = "http", feature = "sql"))]
mod refreshing;
mod remote;
mod resolve;
mod sessions;
#[cfg(feature = "sql")]
mod sql;
#[cfg(any(feature = "git", feature = "http", feature = "sql"))]
mod task;
mod watch;

pub use archive::ArchiveSource;
pub use background::run_inline;
pub use chain::{ChainLink, UserDirectories, default_chain, repository_root};
pub use filesystem::{FilesystemOptions, FilesystemSource, Links, Strictness};
#[cfg(feature = "git")]
pub use git::GitSource;
#[cfg(feature = "http")]
pub use http::HttpSource;
pub use open::open_without_waiting;
pub use records::{SkillRecord, records};
pub use remote::{Network, Progress, ProgressReport, RemoteOptions};
pub use resolve::{OtherSources, ResolveContext, UnavailableSource, resolve};
pub use sessions::SessionDirectory;
#[cfg(feature = "sql")]
pub use sql::SqlSource;
pub use watch::{Watch, WatchError, watch};
