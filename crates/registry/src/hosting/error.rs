//! Why a registry refuses a request.

use prowess_spec::{Diagnostic, SkillPath};
use prowess_store::StoreError;
use semver::Version;

use crate::package_name::PackageName;
use crate::signature::SignatureError;
use crate::storage::StorageError;
use crate::tree::TreeError;
use crate::version_check::VersionMismatch;

/// A file of a package that is invalid.
#[derive(Clone, Debug)]
pub struct InvalidFile {
    /// Its path in the package.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a registry refuses a request.
#[derive(Debug, thiserror::Error)]
pub enum HostingError {
    /// No package has this name.
    #[error("unknown package `{0}`")]
    UnknownPackage(PackageName),
    /// The package has no such version.
    #[error("`{name}` has no version {version}")]
    UnknownVersion {
        /// The package.
        name: PackageName,
        /// The version, or `latest`.
        version: String,
    },
    /// The version has no signature.
    #[error("`{name}` {version} is not signed")]
    NotSigned {
        /// The package.
        name: PackageName,
        /// The version.
        version: Version,
    },
    /// The version exists with other bytes.
    #[error(
        "`{name}` {version} exists with other content ({digest}); versions never change: publish another one"
    )]
    VersionExists {
        /// The package.
        name: PackageName,
        /// The version.
        version: Version,
        /// The digest of the version that exists.
        digest: String,
    },
    /// The package or its namespace belongs to others.
    #[error("`{owned}` belongs to {owners}; an owner can add you", owners = .owners.join(", "))]
    NotOwner {
        /// The package or namespace.
        owned: String,
        /// Its owners.
        owners: Vec<String>,
    },
    /// A package has at least one owner.
    #[error("`{0}` needs at least one owner")]
    LastOwner(String),
    /// An owner is a token.
    #[error("invalid owner `{}`: expected the id or the name of a token", .0.escape_debug())]
    InvalidOwner(String),
    /// The bytes are not a package.
    #[error("invalid package: {0}")]
    NotAPackage(String),
    /// The archive or its files cannot be used.
    #[error("invalid package: {0}")]
    Tree(#[from] TreeError),
    /// Agents would take the skill for a plugin, and start its code.
    #[error(
        "invalid package: a skill cannot have files of a plugin: {}; publish it without them",
        first_of(.0)
    )]
    Plugin(Vec<SkillPath>),
    /// The skill of the package is invalid.
    #[error("invalid skill: {message}")]
    InvalidSkill {
        /// The first problem.
        message: String,
        /// All problems.
        files: Vec<InvalidFile>,
    },
    /// The bytes are not those of the version that they were sent as.
    #[error("invalid package: {0}")]
    Version(#[from] VersionMismatch),
    /// The signature does not fit the bytes.
    #[error("invalid signature: {0}")]
    Signature(#[from] SignatureError),
    /// The storage of packages failed.
    #[error("the storage of packages is unavailable: {0}")]
    Storage(#[from] StorageError),
    /// The database failed.
    #[error("the database is unavailable: {0}")]
    Store(#[from] StoreError),
    /// A stored value cannot be read.
    #[error("`{name}` {version} cannot be read: {reason}")]
    Damaged {
        /// The package.
        name: PackageName,
        /// The version.
        version: String,
        /// Why.
        reason: String,
    },
}

/// Files that are named in an error.
const NAMED: usize = 20;

fn first_of(paths: &[SkillPath]) -> String {
    let names: Vec<&str> = paths.iter().take(NAMED).map(SkillPath::as_str).collect();
    let more = match paths.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("{}{more}", names.join(", "))
}
