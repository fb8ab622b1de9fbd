//! The life of a skill.

use std::fmt;

use serde::Serialize;

/// Where a skill is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It does nothing.
    #[default]
    Inactive,
    /// It is being asked about, loaded and greeted.
    Activating,
    /// It has its say.
    Active,
    /// It failed, and stays so until it is reset.
    Error,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inactive => "inactive",
            Self::Activating => "activating",
            Self::Active => "active",
            Self::Error => "error",
        })
    }
}

/// A change that the life of a skill does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid-transition: a skill that is {from} cannot become {to}")]
pub struct InvalidTransition {
    /// What it is.
    pub from: State,
    /// What it should have become.
    pub to: State,
}

impl State {
    /// The next state, if a skill's life has that change.
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
