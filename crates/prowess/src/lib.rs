//! Skills for any AI agent.
//!
//! Build [`Skills`] from sources and give each conversation a [`Session`]. A session has everything that your own loop
//! needs: [`Session::prompt`], [`Session::tools`], [`Session::call`] and [`Session::message`].
//!
//! ```no_run
//! # pollster::block_on(async {
//! use prowess::{Skills, directory};
//!
//! let skills = Skills::builder().source("project", directory(".agents/skills")).build().await?;
//! let session = skills.session();
//! let (system, tools) = (session.prompt().text, session.tools());
//! let message = session.message("/pdf-forms fill in the tax form").await;
//! let outcome = session.call("load_skill", &serde_json::json!({"id": "pdf-forms"})).await;
//! # Ok::<(), prowess::BuildError>(())
//! # });
//! ```
//!
//! | feature | adds |
//! |---|---|
//! | `archive` | skills in zip and tar files |
//! | `watch` | a refresh whenever a directory changes |
//! | `config` | the configuration file, its sources and the usual directories |
//! | `git`, `http`, `sql`, `mysql` | sources on other machines, in [`sources`] |
//! | `runtime` | skills with code: permissions, workers, the sandbox |
//! | `agent` | a whole agent loop over any model |
//! | `mcp` | an MCP server for skills, and MCP servers as sources |
//!
//! Directories, records, memory and compiled-in skills are always available.

use std::path::PathBuf;

/// The configuration file.
#[cfg(feature = "config")]
pub use prowess_config as config;
pub use prowess_core::{
    Block, BuildError, Catalog, Dialect, Event, Filter, IncompleteSkills, MemorySource, Problem,
    Prompt, Scope, Session, SkillId, Skills, SkillsBuilder, Source, SourceError, ToolDefinition,
    ToolOutcome, ToolResult, ToolUse, Turn, embedded,
};
#[cfg(feature = "config")]
pub use prowess_sources::resolve;
#[cfg(feature = "watch")]
pub use prowess_sources::watch;
pub use prowess_sources::{SkillRecord, records};
/// The format: `SKILL.md` and `SKILL.yaml`.
pub use prowess_spec as spec;

/// What a catalog consists of.
pub mod catalog {
    pub use prowess_core::{
        Catalog, CatalogOptions, CatalogReport, Clash, Collection, CollectionPath, Collisions,
        Descriptor, Health, InvalidId, Invocation, Layer, LevelTokens, Listing, Problem, Shadowed,
        Skill, SourceStatus, Validation, validate_all,
    };
}

/// How skills are presented to a model.
pub mod render {
    pub use prowess_core::{
        CatalogFormat, CatalogPlacement, CatalogReport, DialectLimits, Enforcement, Files, Locate,
        Locations, Operation, RenderError, RenderOptions, RenderedSkill, Settings, Shape,
        SkillReport, ToolSpec, provider_name, render_catalog, render_skill, with_arguments,
        without_own_tags,
    };
}

/// Search.
pub mod search {
    pub use prowess_core::{Hit, IndexedSkill, SearchIndex, UpdateReport};
}

/// Parts of a conversation, and how it is stored.
pub mod session {
    pub use prowess_core::{
        Block, ErrorCode, PreloadError, Prompt, Reference, ScriptFile, ScriptOutput, ScriptRunner,
        Session, SessionStore, SessionStoreError, SkillParams, SkillSummary, ToolError,
        ToolOutcome, ToolOutput, ToolRefusal, Turn, reference,
    };
}

/// Sources, and what a source of your own needs.
pub mod sources {
    pub use prowess_core::{
        Composite, Contents, Document, FileEntry, FilePart, Freshness, Invalid, MemorySource,
        Snapshot, Source, SourceError, document, media_type,
    };
    #[cfg(feature = "mcp")]
    pub use prowess_mcp::McpSource;
    #[cfg(feature = "archive")]
    pub use prowess_sources::ArchiveSource;
    #[cfg(feature = "git")]
    pub use prowess_sources::GitSource;
    #[cfg(feature = "http")]
    pub use prowess_sources::HttpSource;
    #[cfg(feature = "sql")]
    pub use prowess_sources::SqlSource;
    #[cfg(feature = "config")]
    pub use prowess_sources::{
        ChainLink, ResolveContext, UnavailableSource, UserDirectories, default_chain,
    };
    pub use prowess_sources::{
        FilesystemOptions, FilesystemSource, Links, Network, Progress, ProgressReport,
        RemoteOptions, Strictness,
    };
    #[cfg(feature = "watch")]
    pub use prowess_sources::{Watch, WatchError};
}

/// Skills with code.
#[cfg(feature = "runtime")]
pub mod runtime {
    pub use prowess_runtime::*;
    pub use prowess_worker::run_if_worker;
}
#[cfg(feature = "runtime")]
pub use prowess_runtime::Runtime;

/// An agent loop over any model.
#[cfg(feature = "agent")]
pub use prowess_agent as agent;

/// MCP: a server for skills.
#[cfg(feature = "mcp")]
pub use prowess_mcp as mcp;

/// The skills in a directory of the project.
pub fn directory(path: impl Into<PathBuf>) -> sources::FilesystemSource {
    let options = sources::FilesystemOptions::new(Scope::Project);
    sources::FilesystemSource::new(path, options)
}
