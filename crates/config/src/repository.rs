//! A repository: a named place that skills come from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use prowess_spec::SkillPath;
use prowess_trust::ReachList;
use semver::VersionReq;
use serde::Serialize;

use crate::address::Url;
use crate::git_location::GitLocation;
use crate::keywords::RepositoryType;
use crate::limits::{DEPTH, REFRESH_SECONDS, TIMEOUT_SECONDS};
use crate::origin::Origin;
use crate::places::Database;
use crate::problem::Problem;
use crate::secret::Secret;

/// An entry of `[[skills.repositories]]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Repository {
    /// Its name. Not part of any skill id.
    pub name: String,
    /// The type of the repository.
    pub kind: RepositoryType,
    /// Which file states it.
    pub origin: Origin,
    /// Whether it can be used.
    pub state: RepositoryState,
}

impl Repository {
    /// The place, when the repository can be used.
    pub const fn spec(&self) -> Option<&RepositorySpec> {
        match &self.state {
            RepositoryState::Ready(spec) => Some(spec),
            RepositoryState::Disabled
            | RepositoryState::Failed(_)
            | RepositoryState::Untrusted(_) => None,
        }
    }

    /// Why it cannot be used.
    pub fn problems(&self) -> &[Problem] {
        match &self.state {
            RepositoryState::Failed(problems) => problems,
            RepositoryState::Ready(_)
            | RepositoryState::Disabled
            | RepositoryState::Untrusted(_) => &[],
        }
    }
}

/// Whether a repository can be used.
#[derive(Clone, Debug, PartialEq)]
pub enum RepositoryState {
    /// It can.
    Ready(RepositorySpec),
    /// `enabled = false`: its values were not even looked at.
    Disabled,
    /// Invalid values; other repositories are not affected.
    Failed(Vec<Problem>),
    /// A project's repository that the user has not accepted. Its values were not read.
    Untrusted(ReachList),
}

/// A repository that is not used because a stronger one has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The name of both.
    pub name: String,
    /// Where the ignored one is defined.
    pub origin: Origin,
    /// Where the used one is defined.
    pub kept: Origin,
}

/// Where skills come from, and how to get at them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum RepositorySpec {
    /// A directory.
    Filesystem {
        /// The directory.
        path: PathBuf,
    },
    /// An archive file.
    Archive {
        /// The file.
        path: PathBuf,
    },
    /// A git repository.
    Git(Git),
    /// A server with the skills API.
    Http(Http),
    /// A query over a database.
    Sql(Sql),
    /// A package of a registry.
    Registry(Package),
    /// An MCP server.
    Mcp(Mcp),
}

/// A git repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Git {
    /// Where it lies.
    pub url: GitLocation,
    /// The reference; the default branch of the remote if `None`.
    pub reference: Option<GitRef>,
    /// The directory with the skills; the whole tree when `None`.
    pub skills_root: Option<SkillPath>,
    /// The credentials.
    pub auth: Option<GitAuth>,
    /// How long a branch is taken for current.
    pub refresh: Duration,
    /// How many commits are fetched.
    pub depth: u32,
}

impl Git {
    /// The default branch of the remote; the fields have the rest.
    pub fn new(url: GitLocation) -> Self {
        Self {
            url,
            reference: None,
            skills_root: None,
            auth: None,
            refresh: REFRESH_SECONDS.default_seconds(),
            depth: DEPTH.default,
        }
    }
}

/// A reference of a git repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GitRef {
    /// A branch, which moves.
    Branch(String),
    /// A tag, which does not.
    Tag(String),
    /// A commit, which cannot.
    Commit(String),
}

/// Credentials of a git server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GitAuth {
    /// A bearer token; over https.
    Bearer(Secret),
    /// A private key file; over ssh.
    SshKey(PathBuf),
}

/// A server with the skills API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Http {
    /// The root of the API.
    pub url: Url,
    /// The credentials.
    pub auth: Option<HttpAuth>,
    /// How long an answer is taken for current.
    pub refresh: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
}

impl Http {
    /// Without credentials; the fields have the rest.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            auth: None,
            refresh: REFRESH_SECONDS.default_seconds(),
            timeout: TIMEOUT_SECONDS.default_seconds(),
        }
    }
}

/// Credentials of an HTTP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpAuth {
    /// A bearer token.
    Bearer(Secret),
    /// A custom header.
    Header {
        /// Its name.
        name: String,
        /// Its value.
        value: Secret,
    },
}

impl HttpAuth {
    /// The name of the header that is sent, and its value, which is a secret.
    pub fn header(&self) -> (&str, String) {
        match self {
            Self::Bearer(token) => ("authorization", format!("Bearer {}", token.expose())),
            Self::Header { name, value } => (name, value.expose().to_owned()),
        }
    }
}

/// A query over a database.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sql {
    /// The database.
    pub url: Database,
    /// The query.
    pub query: String,
    /// Parameters of the query, in order.
    pub params: Vec<Param>,
    /// How long an answer is taken for current.
    pub refresh: Duration,
}

impl Sql {
    /// A query without parameters; the fields have the rest.
    pub fn new(url: Database, query: impl Into<String>) -> Self {
        Self {
            url,
            query: query.into(),
            params: Vec::new(),
            refresh: REFRESH_SECONDS.default_seconds(),
        }
    }
}

/// A value that is bound to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Param {
    /// Text, which may come from the environment and is therefore not shown.
    Text(Secret),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
}

/// A package of a registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Package {
    /// The registry; that of `[registry]` when `None`.
    pub url: Option<Url>,
    /// The package.
    pub package: String,
    /// Which versions will do; any when `None`.
    pub version: Option<VersionReq>,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mcp {
    /// A program to start.
    Command {
        /// Program and arguments, which may come from the environment and are therefore not shown.
        command: Vec<Secret>,
        /// Its environment.
        env: BTreeMap<String, Secret>,
        /// Where it starts and where relative names in the command begin; the working directory when `None`.
        directory: Option<PathBuf>,
    },
    /// A server to call.
    Http {
        /// Where.
        url: Url,
        /// The credentials.
        auth: Option<HttpAuth>,
    },
}
