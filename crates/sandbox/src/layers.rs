//! What really stands between a child and the machine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What stands between a child and the machine, as the child itself found it before its program started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// What hides the rest of the machine.
    pub isolation: Isolation,
    /// The version of Landlock that is enforced.
    pub landlock: Option<u32>,
    /// What refuses system calls.
    pub seccomp: Seccomp,
    /// What bounds the number of processes.
    pub processes: ProcessBound,
}

/// What hides the rest of the machine from a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Namespaces that we make.
    Namespaces,
    /// Namespaces that bubblewrap makes, where the system lets only that.
    Bubblewrap,
    /// A seatbelt profile, on macOS.
    Seatbelt,
    /// Nothing, as asked for.
    None,
}

impl fmt::Display for Isolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Namespaces => "namespaces",
            Self::Bubblewrap => "bubblewrap",
            Self::Seatbelt => "seatbelt",
            Self::None => "none",
        })
    }
}

/// What refuses system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seccomp {
    /// Calls that programs do not make are refused, and others with arguments that they do not need.
    Refusing,
    /// Only what a worker needs is allowed.
    Allowing,
    /// Nothing is filtered.
    Off,
}

/// What bounds the number of processes of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessBound {
    /// The exact limit, counted for this child alone.
    Exact,
    /// Process numbers run out at most 300 above the limit: the exact one does not bind the superuser.
    Numbers,
    /// Nothing does.
    Unbounded,
}
