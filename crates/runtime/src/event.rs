//! What happened to skills with code, for whoever shows or logs it.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_sdk::Phase;
use serde::Serialize;

use crate::state::State;

/// Something that a host may want to show or log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum RuntimeEvent {
    /// A skill's life went on.
    Changed {
        /// The skill.
        skill: SkillId,
        /// What it was.
        from: State,
        /// What it is.
        to: State,
        /// Why.
        reason: String,
    },
    /// A skill asked for what it may not do.
    Denied {
        /// The skill.
        skill: SkillId,
        /// What it asked for.
        call: &'static str,
        /// Why not.
        reason: String,
    },
    /// A handler failed; what it was asked about goes on without it, except before a tool.
    HookFailed {
        /// The skill.
        skill: SkillId,
        /// The moment.
        phase: Phase,
        /// Why.
        reason: String,
    },
    /// A handler tried to cancel what cannot be cancelled.
    CancelIgnored {
        /// The skill.
        skill: SkillId,
        /// The moment.
        phase: Phase,
    },
    /// A worker ended without being asked to.
    WorkerEnded {
        /// The skill.
        skill: SkillId,
        /// How.
        reason: String,
    },
    /// A skill wrote into the log.
    Log {
        /// The skill.
        skill: SkillId,
        /// The line.
        message: String,
    },
}

/// Whoever hears of events.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(RuntimeEvent) + Send + Sync>);

impl Listener {
    /// Calls `hear` with each event.
    pub fn new(hear: impl Fn(RuntimeEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Tells of an event.
    pub fn emit(&self, event: RuntimeEvent) {
        (self.0)(event);
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self::new(|_| ())
    }
}
