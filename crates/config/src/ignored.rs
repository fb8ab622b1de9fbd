//! Files and keys of a configuration that are ignored.

use std::fmt;
use std::path::PathBuf;

use prowess_trust::Act;
use serde::Serialize;

use crate::origin::Origin;

/// A configuration file that was found and does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IgnoredFile {
    /// Which.
    pub path: PathBuf,
    /// Why; reads on after "ignored: ".
    pub reason: String,
}

/// A key that a project's file states and only the user may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredKey {
    /// The dotted key.
    pub key: String,
    /// Where it is stated.
    pub origin: Origin,
    /// What it would have done.
    pub act: Act,
}

impl fmt::Display for IgnoredKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, origin, act } = self;
        write!(f, "{origin}: `{key}` ignored: a project file cannot {act}")
    }
}
