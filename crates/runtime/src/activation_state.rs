//! States of a skill.

use std::fmt;

use serde::Serialize;

/// The state of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ActivationState {
    /// Not running.
    #[default]
    Inactive,
    /// Being approved and started.
    Activating,
    /// Running; its contributions take effect.
    Active,
    /// Failed, until it is reset.
    Error,
}

impl fmt::Display for ActivationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inactive => "inactive",
            Self::Activating => "activating",
            Self::Active => "active",
            Self::Error => "error",
        })
    }
}

/// A state change that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid-transition: a skill that is {from} cannot become {to}")]
pub struct InvalidTransition {
    /// The present state.
    pub from: ActivationState,
    /// The requested state.
    pub to: ActivationState,
}

impl ActivationState {
    /// Checks a change of state.
    pub fn to(self, next: Self) -> Result<Self, InvalidTransition> {
        match (self, next) {
            (Self::Inactive, Self::Activating)
            | (Self::Activating, Self::Active | Self::Error | Self::Inactive)
            | (Self::Active, Self::Inactive | Self::Error)
            | (Self::Error, Self::Inactive) => Ok(next),
            (from, to) => Err(InvalidTransition { from, to }),
        }
    }
}
