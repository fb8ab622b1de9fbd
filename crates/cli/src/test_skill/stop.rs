//! Why a case has no result to compare.

use prowess_runtime::{ActivationError, DependencyError, ScriptError};

use crate::code_skills::approval_hint;
use crate::error::{CommandError, message_of};

/// Why a case has no answer.
pub(super) enum Stop {
    /// The skill does not do what the case needs.
    Failed(String),
    /// This machine or its user does not run it.
    NotRun(String),
    /// The code is not approved; with what to type.
    NotApproved(String, Option<String>),
}

impl From<CommandError> for Stop {
    fn from(error: CommandError) -> Self {
        Self::NotRun(error.message)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::NotRun(error.to_string())
    }
}

impl From<ActivationError> for Stop {
    fn from(error: ActivationError) -> Self {
        let message = message_of(&error);
        match &error {
            ActivationError::Undecided { approval_name, .. } => {
                Self::NotApproved(message, Some(approval_hint(approval_name)))
            }
            ActivationError::Denied { .. } => Self::NotApproved(message, None),
            ActivationError::Dependency {
                source: DependencyError::Activation(inner),
                ..
            } if is_refusal(inner) => Self::NotApproved(message, None),
            ActivationError::Store(_) => Self::NotRun(message),
            _ => Self::Failed(message),
        }
    }
}

/// Whether the user has not approved the skill.
fn is_refusal(error: &ActivationError) -> bool {
    matches!(
        error,
        ActivationError::Undecided { .. } | ActivationError::Denied { .. }
    )
}

impl From<ScriptError> for Stop {
    fn from(error: ScriptError) -> Self {
        let message = error.to_string();
        match error {
            ScriptError::NotApproved(reason, _, _, name) => {
                Self::NotApproved(reason, Some(approval_hint(&name)))
            }
            ScriptError::TimedOut(_) => Self::Failed(message),
            ScriptError::Off | ScriptError::Cannot(_) => Self::NotRun(message),
        }
    }
}
