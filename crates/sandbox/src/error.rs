//! Why a child was not started.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::layers::Isolation;

/// Why a child was not started. In none of these cases did its program run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A path of the confinement or of the command cannot be used.
    #[error("`{}` {problem}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// There is no way on this machine that keeps every promise.
    #[error("no sandbox is possible here: {}", list(missing))]
    Unavailable {
        /// Every way, and why it is closed.
        missing: Vec<Missing>,
    },
    /// The jail stands or could stand, but this child cannot be put into it.
    #[error("cannot start `{}` in the sandbox: {refusal}", program.display())]
    Refused {
        /// The program, as it is named inside.
        program: PathBuf,
        /// At which step, and why.
        refusal: Refusal,
    },
    /// The launcher itself does not run, or is not one of ours.
    #[error("cannot run the launcher `{}`", launcher.display())]
    Launcher {
        /// The program.
        launcher: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// This process could not shut itself in.
    #[error("cannot lock this process down: {0}")]
    LockDown(Refusal),
}

fn list(missing: &[Missing]) -> String {
    let lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

/// What is wrong with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// It depends on a working directory.
    #[error("is not absolute")]
    Relative,
    /// It has a `..` or a zero byte.
    #[error("has a part that leads elsewhere")]
    Unclear,
    /// It is a place that is made for each child.
    #[error("is a place of the sandbox itself")]
    Reserved,
}

/// One way to isolate a child, and why it is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The way.
    pub isolation: Isolation,
    /// At which step it failed, and why.
    pub refusal: Refusal,
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.isolation, self.refusal)
    }
}

/// A step of building the jail that the system did not let us take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Whose fault it is: decides whether another way is worth trying.
    pub cause: Cause,
    /// What was tried.
    pub step: String,
    /// What the system said.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot {}: {}", self.step, self.reason)
    }
}

/// Whether another way to isolate could do better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The system does not let us build this jail.
    System,
    /// What was asked for does not exist or cannot be started.
    Request,
}

impl Refusal {
    pub(crate) fn system(step: impl Into<String>, reason: &(impl ToString + ?Sized)) -> Self {
        Self {
            cause: Cause::System,
            step: step.into(),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn request(step: impl Into<String>, reason: &(impl ToString + ?Sized)) -> Self {
        Self {
            cause: Cause::Request,
            ..Self::system(step, reason)
        }
    }
}

/// Names the step that failed.
pub(crate) trait Step<T> {
    fn step(self, step: impl Into<String>) -> Result<T, Refusal>;
    fn request_step(self, step: impl Into<String>) -> Result<T, Refusal>;
}

impl<T, E: ToString> Step<T> for Result<T, E> {
    fn step(self, step: impl Into<String>) -> Result<T, Refusal> {
        self.map_err(|error| Refusal::system(step, &error))
    }

    fn request_step(self, step: impl Into<String>) -> Result<T, Refusal> {
        self.map_err(|error| Refusal::request(step, &error))
    }
}
