//! Responses of a host, and larger requests.

use std::collections::BTreeMap;

use serde::Deserialize;

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// Whether it is a directory.
    #[serde(default)]
    pub is_dir: bool,
    /// Its size in bytes.
    #[serde(default)]
    pub size: u64,
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Execution {
    /// Its output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
    /// Its exit code.
    pub exit_code: i32,
}

/// The request.
///
/// ```
/// use prowess_sdk::plugin::Fetch;
///
/// let fetch = Fetch::new("https://example.com/items")
///     .method("POST")
///     .header("content-type", "application/json")
///     .body("{}");
/// assert_eq!(fetch.method.as_deref(), Some("POST"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetch {
    /// `http:` or `https:`.
    pub url: String,
    /// `GET` if absent.
    pub method: Option<String>,
    /// Headers to send.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Option<String>,
}

impl Fetch {
    /// A `GET`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..Self::default()
        }
    }

    /// With another method.
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// With a body.
    #[must_use]
    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }
}

/// A response of a server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, by their names in lower case.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The text.
    #[serde(default)]
    pub body: String,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Commit {
    /// Its hash.
    pub hash: String,
    /// The author.
    pub author: String,
    /// When.
    pub date: String,
    /// The text.
    pub message: String,
}

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Change {
    /// Its path.
    pub path: String,
    /// How, in the letters of `git status --porcelain`.
    pub status: String,
}

/// `{content}`.
#[derive(Deserialize)]
pub(super) struct Content {
    pub(super) content: String,
}

/// `{entries}`.
#[derive(Deserialize)]
pub(super) struct Entries {
    pub(super) entries: Vec<DirectoryEntry>,
}

/// `{files}`.
#[derive(Deserialize)]
pub(super) struct Files<T> {
    pub(super) files: Vec<T>,
}

/// `{value}`.
#[derive(Deserialize)]
pub(super) struct Variable {
    #[serde(default)]
    pub(super) value: Option<String>,
}

/// `{commits}`.
#[derive(Deserialize)]
pub(super) struct Commits {
    pub(super) commits: Vec<Commit>,
}

/// `{hash}`.
#[derive(Deserialize)]
pub(super) struct Hash {
    pub(super) hash: String,
}
