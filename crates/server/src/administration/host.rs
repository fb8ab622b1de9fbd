//! What a host tells about itself, and lets its users change.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

/// The host of a server: its configuration, its users' answers, and the commands that a console needs.
#[async_trait]
pub trait Administration: Send + Sync {
    /// The configuration, without secrets.
    fn configuration(&self) -> Value;

    /// The stored approvals of one skill, or of all.
    async fn approvals(&self, skill: Option<&str>) -> Result<Value, HostError>;

    /// Removes the stored approvals of a skill, and returns how many there were.
    async fn revoke(&self, skill: &str) -> Result<u64, HostError>;

    /// What is known about a skill besides its content: problems, audit, tokens, permissions, package, use.
    async fn details(&self, skill: &str) -> Result<Value, HostError>;

    /// Disables a skill in the configuration of the user, or enables it again.
    async fn set_enabled(&self, skill: &str, enabled: bool) -> Result<(), HostError>;

    /// What the configuration of the project reaches, and whether the user trusts it.
    async fn trust(&self) -> Result<Value, HostError>;

    /// Stores that the user trusts the list with this digest, and opens its sources.
    async fn accept(&self, digest: &str) -> Result<(), HostError>;

    /// Reads the configuration and the sources again.
    async fn reload(&self) -> Result<(), HostError>;

    /// What would be installed, and what was found in it.
    async fn inspect(&self, wanted: &PackageRequest) -> Result<Value, HostError>;

    /// Installs a package.
    async fn install(&self, wanted: &PackageRequest) -> Result<Value, HostError>;

    /// The skills with evals, and the runs since the server was started.
    async fn evals(&self) -> Result<Value, HostError>;

    /// Starts the evals of a skill.
    async fn start_eval(&self, wanted: &EvalRequest) -> Result<Value, HostError>;

    /// A run of evals.
    async fn eval(&self, id: &str) -> Result<Value, HostError>;

    /// Stops a run of evals.
    async fn cancel_eval(&self, id: &str) -> Result<(), HostError>;
}

/// Why a host does not do what it was asked; each has a message for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// It cannot be done as it was asked.
    #[error("{0}")]
    Invalid(String),
    /// The user must accept what was found first.
    #[error("{0}")]
    ConsentNeeded(String),
    /// What was accepted is not what is there now.
    #[error("{0}")]
    Changed(String),
    /// The command cannot do it, whatever the reason.
    #[error("{0}")]
    Failed(String),
    /// The server cannot do it now.
    #[error("{0}")]
    Unavailable(String),
}

/// A package that a user wants to install.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageRequest {
    /// What `prowess add` takes: a name with a range, a repository, a URL, a path.
    pub source: String,
    /// The skill, if the source has several.
    #[serde(default)]
    pub skill: Option<String>,
    /// Where it is installed.
    #[serde(default)]
    pub scope: PackageScope,
    /// What the user has accepted.
    #[serde(default)]
    pub accept: Accept,
}

/// Where a package is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackageScope {
    /// In the project of the server.
    #[default]
    Project,
    /// For the user of the server.
    User,
}

/// What a user has accepted after an inspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accept {
    /// Nothing.
    #[default]
    None,
    /// Everything below high severity.
    Yes,
    /// Everything.
    Force,
}

/// Evals that a user wants to run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalRequest {
    /// The skill.
    pub skill: String,
    /// How often each case is run.
    #[serde(default = "one")]
    pub runs: u16,
}

fn one() -> u16 {
    1
}
