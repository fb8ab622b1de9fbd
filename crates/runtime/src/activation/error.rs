//! Why a skill was not activated.

use prowess_core::SkillId;
use prowess_policy::Right;
use prowess_store::StoreError;
use semver::{Version, VersionReq};

use crate::activation_state::InvalidTransition;
use crate::approval::right_names;
use crate::backend::BackendError;
use crate::code_skill::CodeSkillError;

/// An error of activation.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// The skill cannot be read, or has no code.
    #[error(transparent)]
    Skill(#[from] CodeSkillError),
    /// The skill is in a state that cannot be activated.
    #[error(transparent)]
    Transition(#[from] InvalidTransition),
    /// The skill failed earlier.
    #[error("`{skill}` failed earlier and was not reset: {reason}")]
    Failed {
        /// The skill.
        skill: SkillId,
        /// The earlier failure.
        reason: String,
    },
    /// The skill needs another version of Prowess or another platform.
    #[error("`{skill}` is incompatible: {reason}")]
    Incompatible {
        /// The skill.
        skill: SkillId,
        /// Why.
        reason: String,
    },
    /// A dependency cannot be activated.
    #[error("`{skill}` needs `{dependency}`: {source}")]
    Dependency {
        /// The skill.
        skill: SkillId,
        /// The dependency.
        dependency: String,
        /// Why it cannot be activated.
        source: DependencyError,
    },
    /// Rights are not approved, and no approver is available.
    #[error("not-approved: `{skill}` needs approval: {}", right_names(rights))]
    Undecided {
        /// The skill.
        skill: SkillId,
        /// The rights.
        rights: Vec<Right>,
        /// The value for `--approve-skills`.
        approval_name: String,
    },
    /// Rights were denied.
    #[error("not-approved: `{skill}` was denied: {}", right_names(rights))]
    Denied {
        /// The skill.
        skill: SkillId,
        /// The rights.
        rights: Vec<Right>,
    },
    /// An approval cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The code of the skill does not start.
    #[error("`{skill}`: {source}")]
    Backend {
        /// The skill.
        skill: SkillId,
        /// Why.
        source: BackendError,
    },
    /// A contribution is invalid or conflicts with another skill.
    #[error("`{skill}`: {reason}")]
    Contribution {
        /// The skill.
        skill: SkillId,
        /// Why.
        reason: String,
    },
    /// The `OnActivate` handler failed.
    #[error("`{skill}` failed in OnActivate: {reason}")]
    ActivateHook {
        /// The skill.
        skill: SkillId,
        /// The earlier failure.
        reason: String,
    },
}

/// Why a dependency cannot be activated.
#[derive(Debug, thiserror::Error)]
pub enum DependencyError {
    /// No skill has the name.
    #[error("not installed")]
    NotInstalled,
    /// The skills need each other.
    #[error("circular dependency: {0}")]
    Circular(String),
    /// The skill has another version.
    #[error("needs {wanted}, found {found}")]
    Version {
        /// The versions that are allowed.
        wanted: VersionReq,
        /// The version of the skill.
        found: Version,
    },
    /// The skill itself cannot be activated.
    #[error(transparent)]
    Activation(Box<ActivationError>),
}

impl<E: Into<ActivationError>> From<E> for DependencyError {
    fn from(error: E) -> Self {
        Self::Activation(Box::new(error.into()))
    }
}

impl ActivationError {
    /// Whether activation can be retried without a reset, because no code ran.
    pub(crate) fn leaves_inactive(&self) -> bool {
        matches!(
            self,
            Self::Undecided { .. }
                | Self::Denied { .. }
                | Self::Skill(CodeSkillError::NoManifest(_))
        )
    }
}
