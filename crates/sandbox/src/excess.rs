//! Why a child was ended before its time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A limit that a child exceeded as a whole, so that it was ended with everything that it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Excess {
    /// [`Limits::memory`](crate::Limits::memory).
    Memory,
    /// [`Limits::disk`](crate::Limits::disk).
    Disk,
    /// [`Limits::files`](crate::Limits::files).
    Files,
}

impl fmt::Display for Excess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Memory => "the sandbox ended the program: it used more memory than allowed",
            Self::Disk => "the sandbox ended the program: it wrote more to the disk than allowed",
            Self::Files => "the sandbox ended the program: it made more files than allowed",
        })
    }
}
