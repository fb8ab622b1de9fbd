//! Where a value comes from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Found from the working directory upwards. Written by the author of the project.
    Project,
    /// The user's own.
    User,
    /// Named on the command line.
    Explicit,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Origin {
    /// No file states it.
    Default,
    /// A file states it.
    File {
        /// Whose file.
        scope: Scope,
        /// Which file.
        path: Arc<Path>,
        /// On which line, from 1.
        line: usize,
    },
}

impl Origin {
    /// Whose file states it; `None` for a default.
    pub const fn scope(&self) -> Option<Scope> {
        match self {
            Self::Default => None,
            Self::File { scope, .. } => Some(*scope),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
        }
    }
}

/// An effective key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfigEntry {
    /// The dotted key, a repository by its name: `skills.repositories.company.url`.
    pub key: String,
    /// The value as the file has it: variables by name, secrets masked.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// `name` as a part of a dotted key.
pub(crate) fn key_part(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !name.is_empty() && name.bytes().all(bare) {
        name.to_owned()
    } else {
        prowess_spec::quote(name)
    }
}
