//! The engine: from sources to what a model sees and may do.
//!
//! Everything here is independent of network, terminal and home directory: paths and settings are passed in.

mod arguments;
mod builder;
mod catalog;
mod clash;
mod composite;
mod descriptor;
mod dialect;
mod embedded;
mod event;
mod filter;
mod find;
mod heap;
mod id;
mod join;
mod media;
mod memory;
mod rank;
mod reference;
mod render;
mod script;
mod search;
mod session;
mod session_store;
mod signal;
mod skills;
mod source;
mod tools;
mod turn;
mod validate;
pub mod wire;
mod writer;

pub use arguments::with_arguments;
pub use builder::{BuildError, SkillsBuilder};
pub use catalog::{
    Catalog, CatalogOptions, Clash, Collection, Collisions, Health, Layer, Listing, Problem,
    Shadowed, Skill, SourceStatus,
};
pub use composite::Composite;
pub use descriptor::{Descriptor, Invocation, LevelTokens, Scope};
pub use dialect::{
    CatalogPlacement, Dialect, DialectLimits, Files, Locations, Operation, Shape, ToolSpec,
    provider_name,
};
pub use embedded::embedded;
pub use event::Event;
pub use filter::{Filter, FilterError};
pub use find::SkillMatch;
#[doc(hidden)]
pub use heap::reserve_heap;
pub use id::{CollectionPath, InvalidId, SkillId};
pub use media::media_type;
pub use memory::{MemorySource, document};
pub use rank::Hints;
pub use reference::{Reference, reference};
pub use render::{
    CatalogFormat, CatalogReport, Locate, RenderError, RenderOptions, RenderedSkill, SkillReport,
    ToolNames, render_catalog, render_skill, without_cut_tag, without_own_tags,
};
pub use script::ScriptRunner;
pub use search::{
    ExplainedHit, FeatureValue, FoundSkill, Hit, IndexBuilder, IndexFile, IndexedSkill,
    SearchIndex, SearchRequest, SignalRanking, UpdateReport, checksum, query_stems,
};
pub use session::{Prompt, Session, ToolOutcome, ToolRefusal, ToolUse};
pub use session_store::{SessionStore, SessionStoreError};
pub use signal::RankSignal;
pub use skills::{Enforcement, IncompleteSkills, NestedSkill, PreloadError, Settings, Skills};
pub use source::{
    Contents, Document, FileEntry, FilePart, Freshness, Invalid, Origin, Snapshot, Source,
    SourceError,
};
pub use tools::{
    ErrorCode, ScriptFile, ScriptOutput, SkillSummary, ToolDefinition, ToolError, ToolOutput,
    ToolResult,
};
pub use turn::{Block, SkillParams, Turn};
pub use validate::{Validation, validate_all};
pub use writer::{SkillWriter, WriteError};
