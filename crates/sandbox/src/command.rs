//! What is started, and what starts it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A program and its arguments, named as they are inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// An absolute path inside; no search path is looked at.
    #[serde(with = "crate::os_path")]
    pub program: PathBuf,
    /// What follows the name of the program.
    pub arguments: Vec<OsString>,
}

impl Command {
    /// A program without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
        }
    }

    /// The same with more arguments.
    #[must_use]
    pub fn arguments<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// A program of ours that does nothing but call [`init`](crate::init) with these arguments. A jail is built from
/// within, by a process that is about to become the child, so it needs a place to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launcher {
    /// An absolute path.
    #[serde(with = "crate::os_path")]
    pub program: PathBuf,
    /// What makes it call [`init`](crate::init) before anything else.
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// A launcher without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
        }
    }
}
