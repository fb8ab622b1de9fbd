//! The exit codes.

use std::fmt;
use std::process::ExitCode;

/// The outcome of a command, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: all is well.
    Success,
    /// 1: the command could not do its work, or not all of it.
    Failure,
    /// 2: invalid arguments.
    Usage,
    /// 3: the work is done, and something was found.
    Findings,
    /// 4: it is not allowed.
    Permission,
}

/// An error with a hint and an exit code.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) exit: Exit,
}

impl Refused {
    /// An error for invalid arguments.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: Some(hint.into()),
            exit: Exit::Usage,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Findings => 3,
            Exit::Permission => 4,
        })
    }
}
