//! The exit codes.

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
    /// The exit code of a script.
    Script(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Findings => 3,
            Exit::Permission => 4,
            Exit::Script(code) => code,
        })
    }
}
