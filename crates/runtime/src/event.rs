//! Events of the runtime, for display and logging.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_sdk::Phase;
use serde::Serialize;

use crate::activation_state::ActivationState;

/// An event of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum RuntimeEvent {
    /// The state of a skill changed.
    Changed {
        /// The skill.
        skill: SkillId,
        /// The previous state.
        from: ActivationState,
        /// The new state.
        to: ActivationState,
        /// Why.
        reason: String,
    },
    /// A call of a skill was denied.
    Denied {
        /// The skill.
        skill: SkillId,
        /// The call.
        call: &'static str,
        /// The reason.
        reason: String,
    },
    /// A handler failed. Only a tool call is cancelled by that; other phases continue.
    HookFailed {
        /// The skill.
        skill: SkillId,
        /// The phase.
        phase: Phase,
        /// Why.
        reason: String,
    },
    /// A handler tried to cancel a phase that cannot be cancelled.
    CancelIgnored {
        /// The skill.
        skill: SkillId,
        /// The phase.
        phase: Phase,
    },
    /// A worker exited unexpectedly.
    WorkerEnded {
        /// The skill.
        skill: SkillId,
        /// The cause.
        reason: String,
    },
    /// A skill wrote a line to the log.
    Log {
        /// The skill.
        skill: SkillId,
        /// The line.
        message: String,
    },
}

/// Receives events.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(RuntimeEvent) + Send + Sync>);

impl Listener {
    /// Creates a listener from a function.
    pub fn new(receive: impl Fn(RuntimeEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }

    /// Emits an event.
    pub fn emit(&self, event: RuntimeEvent) {
        (self.0)(event);
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self::new(|_| ())
    }
}
