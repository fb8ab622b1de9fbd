//! State changes, reported to the listener.

use prowess_core::SkillId;

use super::table::ActivationTable;
use crate::activation_state::{ActivationState, InvalidTransition};
use crate::event::{Listener, RuntimeEvent};

/// Changes the state of a skill and emits the change.
pub(crate) fn change_state(
    table: &ActivationTable,
    listener: &Listener,
    id: &SkillId,
    to: ActivationState,
    reason: &str,
) -> Result<(), InvalidTransition> {
    let from = table.change(id, to, reason)?;
    // Not the reason: it may have words of the skill.
    tracing::info!(skill = %id, ?from, ?to, "activation changed");
    listener.emit(RuntimeEvent::Changed {
        skill: id.clone(),
        from,
        to,
        reason: reason.to_owned(),
    });
    Ok(())
}

/// A state change that takes time.
///
/// Dropped before [`Self::finish`], it puts the skill into the fallback state: a cancelled activation never leaves a
/// skill between two states.
pub(super) struct TransitionGuard<'a> {
    table: &'a ActivationTable,
    listener: &'a Listener,
    id: &'a SkillId,
    fallback: Option<(ActivationState, String)>,
}

impl<'a> TransitionGuard<'a> {
    pub(super) fn new(
        table: &'a ActivationTable,
        listener: &'a Listener,
        id: &'a SkillId,
        fallback: ActivationState,
        reason: &str,
    ) -> Self {
        Self {
            table,
            listener,
            id,
            fallback: Some((fallback, reason.to_owned())),
        }
    }

    pub(super) fn finish(
        mut self,
        to: ActivationState,
        reason: &str,
    ) -> Result<(), InvalidTransition> {
        self.fallback = None;
        change_state(self.table, self.listener, self.id, to, reason)
    }
}

impl Drop for TransitionGuard<'_> {
    fn drop(&mut self) {
        if let Some((to, reason)) = self.fallback.take() {
            // A guard begins only where its fallback is a valid transition.
            let _ = change_state(self.table, self.listener, self.id, to, &reason);
        }
    }
}
