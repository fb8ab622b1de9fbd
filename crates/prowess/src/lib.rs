//! Skills for any AI agent.
//!
//! Build [`Skills`] from one or more sources, give each conversation a [`Session`], and put three things into
//! your own loop: [`Skills::system_prompt`], [`Skills::tools`] with [`Session::call`], and [`Session::turn`].
//!
//! ```no_run
//! # pollster::block_on(async {
//! use prowess::{Skills, ToolUse, directory};
//!
//! let skills = Skills::builder().source("project", directory(".agents/skills")).build().await?;
//! let mut session = skills.session();
//! let (system, _) = skills.system_prompt(&session, ToolUse::Available);
//! let tools = skills.tools(&session);
//! let turn = session.turn("/pdf-forms fill in the tax form", &[]).await;
//! println!("{system}\n{} tools\n{}", tools.len(), turn.content());
//! # Ok::<(), prowess::BuildError>(())
//! # });
//! ```
//!
//! Archives, directories, records and memory are always available as sources; the features `git`, `http` and `sql` add
//! the others. [`resolve`] creates sources from a `prowess.toml`.

use std::path::PathBuf;

/// The configuration file, and what it names.
pub use prowess_config as config;
pub use prowess_core::*;
#[cfg(feature = "git")]
pub use prowess_sources::GitSource;
#[cfg(feature = "http")]
pub use prowess_sources::HttpSource;
#[cfg(feature = "sql")]
pub use prowess_sources::SqlSource;
pub use prowess_sources::{
    ArchiveSource, ChainLink, FilesystemOptions, FilesystemSource, Links, Network, Progress,
    ProgressReport, RemoteOptions, SessionDirectory, SkillRecord, Strictness, Surroundings,
    Unusable, UserDirectories, Watch, WatchError, default_chain, records, resolve, watch,
};
/// The format: `SKILL.md` and `SKILL.yaml`.
pub use prowess_spec as spec;

/// The skills in a directory of the project.
pub fn directory(path: impl Into<PathBuf>) -> FilesystemSource {
    FilesystemSource::new(path, FilesystemOptions::new(Scope::Project))
}
