//! Why a registry did not do what it was asked for.

use prowess_core::wire::Problem;
use reqwest::StatusCode;

use crate::package_name::PackageName;
use crate::version_check::VersionMismatch;

/// Why a request to a registry failed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The network was ruled out, and nothing is cached.
    #[error("cannot ask {0}: offline, and nothing is cached")]
    Offline(String),
    /// The registry cannot be reached.
    #[error("cannot reach {host}: {reason}")]
    Unreachable {
        /// The registry.
        host: String,
        /// Why.
        reason: String,
    },
    /// The answer is none of a registry.
    #[error("malformed response from {host}: {reason}")]
    Malformed {
        /// The registry.
        host: String,
        /// What was expected, and what came.
        reason: String,
    },
    /// The registry refuses.
    #[error("{detail}")]
    Refused {
        /// The registry.
        host: String,
        /// The status of its answer.
        status: u16,
        /// Its reason.
        detail: String,
        /// Problems of a skill that was sent, one line for each.
        diagnostics: Vec<String>,
    },
    /// A token would be readable on the way.
    #[error("cannot send a token to {0}: the connection is not encrypted; use an https URL")]
    Unencrypted(String),
    /// The token cannot be sent.
    #[error("invalid token")]
    Token,
    /// The URL is none of a registry.
    #[error("invalid registry URL `{0}`: expected https://HOST")]
    Url(String),
    /// No version is in the range.
    #[error("no version of `{name}` matches {wanted}; {has}")]
    NoVersion {
        /// The package.
        name: PackageName,
        /// The range.
        wanted: String,
        /// What there is.
        has: String,
    },
    /// The package is another one.
    #[error("cannot use `{name}` from {host}: {reason}")]
    Package {
        /// The package.
        name: PackageName,
        /// The registry.
        host: String,
        /// What is wrong.
        reason: String,
    },
    /// The package is another version, such as an older one with a valid signature.
    #[error("cannot use `{name}` from {host}")]
    OtherVersion {
        /// The package.
        name: PackageName,
        /// The registry.
        host: String,
        /// What it is instead.
        source: Box<VersionMismatch>,
    },
    /// The package cannot be downloaded.
    #[error("{0}")]
    Download(String),
}

impl RegistryError {
    /// Whether the registry says that it has no such thing.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(StatusCode::NOT_FOUND.as_u16())
    }

    /// The status, if the registry refuses.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The refusal in an answer with this status and body.
    pub(super) fn refused(host: &str, status: StatusCode, body: &[u8]) -> Self {
        let problem: Option<Problem> = serde_json::from_slice(body).ok();
        let (detail, diagnostics) = match problem {
            Some(problem) => {
                let lines = problem.diagnostics.iter().map(diagnostic).collect();
                (problem.detail, lines)
            }
            None => (format!("{host} returned {status}"), Vec::new()),
        };
        Self::Refused {
            host: host.to_owned(),
            status: status.as_u16(),
            detail,
            diagnostics,
        }
    }
}

/// A diagnostic of `check --json` in one line.
fn diagnostic(value: &serde_json::Value) -> String {
    let text = |key: &str| value.get(key).and_then(|it| it.as_str());
    let file = text("file").or_else(|| text("path"));
    let line = value
        .pointer("/start/line")
        .and_then(serde_json::Value::as_u64);
    let message = text("message").map_or_else(|| value.to_string(), str::to_owned);
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {message}"),
        (Some(file), None) => format!("{file}: {message}"),
        _ => message,
    }
}
