//! What a machine can do for a sandbox.

use serde::{Deserialize, Serialize};

use crate::layers::Isolation;

/// What this machine can do, found out by doing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    /// The version of the kernel.
    pub kernel: String,
    /// What a child would be isolated with; without any, none is started.
    pub isolation: Option<Isolation>,
    /// Namespaces that we make.
    pub namespaces: Ability,
    /// Namespaces that bubblewrap makes.
    pub bubblewrap: Ability,
    /// A second check of what may be written.
    pub landlock: Ability,
    /// Refused system calls.
    pub seccomp: Ability,
    /// Limits for each process.
    pub limits: Ability,
    /// Limits for a child as a whole.
    pub cgroup: Ability,
}

impl Abilities {
    /// Every layer by its name.
    pub fn layers(&self) -> [(&'static str, &Ability); 6] {
        [
            ("namespaces", &self.namespaces),
            ("bubblewrap", &self.bubblewrap),
            ("Landlock", &self.landlock),
            ("seccomp", &self.seccomp),
            ("limits", &self.limits),
            ("control groups", &self.cgroup),
        ]
    }
}

/// Whether a layer is there, in a sentence that a person can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ability {
    /// Whether it is there.
    pub state: AbilityState,
    /// What that means, or why not.
    pub sentence: String,
}

/// Whether a layer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbilityState {
    /// It is, and was tried.
    Works,
    /// It is not.
    Missing,
}

impl Ability {
    pub(crate) fn works(sentence: impl Into<String>) -> Self {
        Self {
            state: AbilityState::Works,
            sentence: sentence.into(),
        }
    }

    pub(crate) fn missing(sentence: impl Into<String>) -> Self {
        Self {
            state: AbilityState::Missing,
            sentence: sentence.into(),
        }
    }
}
