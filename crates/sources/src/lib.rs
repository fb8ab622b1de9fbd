//! Sources of skills, one module for each kind.

mod agents;
#[cfg(feature = "archive")]
mod archive;
mod background;
#[cfg(unix)]
pub mod beneath;
#[cfg(feature = "config")]
mod chain;
mod collection;
mod filesystem;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "http")]
mod http;
mod open;
#[cfg(feature = "config")]
mod pending;
mod records;
#[cfg(any(feature = "git", feature = "http", feature = "sql"))]
mod refreshing;
mod remote;
#[cfg(feature = "config")]
mod resolve;
#[cfg(feature = "sql")]
mod sql;
mod stamp;
#[cfg(any(feature = "git", feature = "http", feature = "sql"))]
mod task;
mod temporary;
#[cfg(feature = "watch")]
mod watch;

#[cfg(feature = "archive")]
pub use archive::ArchiveSource;
pub use background::run_inline;
#[cfg(feature = "config")]
pub use chain::{ChainLink, UserDirectories, awaited_chain, default_chain, repository_root};
pub use collection::Root;
pub use filesystem::{FilesystemOptions, FilesystemSource, Links, Strictness};
#[cfg(feature = "git")]
pub use git::{
    GitChange, GitChanges, GitCommit, GitFile, GitFiles, GitSkill, GitSource, git_heads,
};
#[cfg(feature = "http")]
pub use http::HttpSource;
pub use open::{open_in, open_without_waiting};
#[cfg(feature = "config")]
pub use pending::PendingSources;
pub use records::{SkillRecord, records};
pub use remote::{Network, Progress, ProgressReport, RemoteOptions};
#[cfg(feature = "config")]
pub use resolve::{OtherSources, ResolveContext, UnavailableSource, open_trusted, resolve};
#[cfg(feature = "sql")]
pub use sql::SqlSource;
pub use temporary::is_temporary;
#[cfg(feature = "watch")]
pub use watch::{Watch, WatchError, watch};
