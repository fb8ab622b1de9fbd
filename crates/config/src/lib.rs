//! The configuration: one loader, with the origin of every key.
//!
//! [`SkillsConfig::load`] reads the nearest `prowess.toml` from the working directory up to the root of its
//! repository, over the user's own. A key in a file overrides the same key of a file with lower priority and the
//! default; repositories are concatenated, the project's first, and of two with the same name the first is used.
//! Environment variables and the home directory come from the caller, in a [`Lookup`].
//!
//! # What goes wrong, and what it costs
//!
//! - A file that cannot be parsed is an [`Error`]: it cannot be read, it is not TOML, it has unknown or missing keys,
//!   keys that exclude each other, values of the wrong type, or unknown words. So is an invalid value outside
//!   repositories. All problems of all files are reported together.
//! - A wrong *value* in a repository (a variable that is not set, a bad URL, a number out of bounds)
//!   is a [`Problem`] of that repository, in [`RepositoryState::Failed`]. The others are not concerned.
//! - The values of a repository that is disabled or dropped are not looked at, so a variable that
//!   only they use may be unset. Their shape is checked like that of any other.
//!
//! # What is text, and what is replaced
//!
//! `${VAR}` is replaced in every string of a repository except its `name` and `type`, in `store.url` of the user's own file, and
//! nowhere else; `$${` becomes
//! `${`, and any other `$` is unchanged. Relative paths are relative to the directory of the file, and `~` is the home
//! directory.
//!
//! # Secrets
//!
//! [`Secret`] and [`Url`] show what is in them only to who calls `expose`. [`SkillsConfig::entries`]
//! has values as files have them, never what a variable holds, and masked where they may be secret;
//! so is the text that a [`Problem`] points into.
//!
//! # Trust
//!
//! A project's file adds and narrows. A key of it that does more ([`key_rule`]) is ignored and listed in
//! [`SkillsConfig::ignored`]. What its repositories reach outside of the project is a
//! [`ReachList`](prowess_trust::ReachList) that the user is asked about; until [`Lookup::trusts`] says yes, those
//! repositories are [`RepositoryState::Untrusted`] and no variable of theirs is replaced.

mod address;
mod config;
mod error;
mod expand;
mod fields;
mod file;
mod git_location;
mod hide;
mod ignored;
mod keywords;
mod layer;
pub mod limits;
mod lookup;
mod named_variables;
mod origin;
mod places;
mod problem;
mod reach;
mod reader;
mod registries;
mod repositories;
mod repository;
mod rules;
mod schema;
mod secret;
mod settings;
mod shape;
mod show;
mod specs;
mod texts;
mod values;

pub use address::Url;
pub use config::{ProjectTrust, SkillsConfig};
pub use error::Error;
pub use file::CONFIG_FILE;
pub use git_location::{GitLocation, GitLocationError};
pub use ignored::{IgnoredFile, IgnoredKey};
pub use lookup::Lookup;
pub use origin::{ConfigEntry, Origin, Scope};
pub use places::Database;
pub use problem::{Problem, ProblemKind};
pub use registries::RegistryEntry;
pub use repository::{
    Dropped, Git, GitAuth, GitRef, Http, HttpAuth, Mcp, Package, Param, Repository, RepositorySpec,
    RepositoryState, Sql,
};
pub use rules::{KeyRule, key_rule};
pub use schema::json_schema;
pub use secret::Secret;
pub use settings::{
    Approval, AuditSettings, EmbeddingsLocation, ModelSettings, PackageSettings,
    PermissionSettings, RegistrySettings, SearchSettings, SkillSettings, StoreLocation,
};

pub use keywords::{DialectName, RepositoryType, SandboxMode, Scripts};
