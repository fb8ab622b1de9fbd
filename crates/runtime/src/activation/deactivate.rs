//! Deactivation of code skills.

use prowess_core::SkillId;
use prowess_sdk::Phase;

use super::active_skill::ActiveSkill;
use super::context::ActivationContext;
use super::table::ActivationTable;
use super::transition::TransitionGuard;
use crate::activation_state::ActivationState;
use crate::backend::BackendError;

/// Deactivates a skill, whatever its code does; a skill that is not active is left alone.
pub(crate) async fn deactivate(
    context: &ActivationContext,
    table: &ActivationTable,
    id: &SkillId,
    reason: &str,
) {
    let Some(active) = table.unregister(id) else {
        return;
    };
    let listener = &context.services.listener;
    let guard = TransitionGuard::new(table, listener, id, ActivationState::Inactive, reason);
    context.emit_all(active.run_own_hook(Phase::Deactivate).await);
    let mut reason = reason.to_owned();
    if let Some(backend) = &active.backend
        && let Err(error) = backend.unload().await
    {
        reason = format!("{reason}; {error}");
    }
    // An active skill can always become inactive.
    let _ = guard.finish(ActivationState::Inactive, &reason);
}

/// Puts a skill into the error state if its worker crashed too often.
pub(crate) async fn fail_after_crash_loop(
    context: &ActivationContext,
    table: &ActivationTable,
    active: &ActiveSkill,
    error: &BackendError,
) {
    if !matches!(error, BackendError::CrashLoop(..)) || table.unregister(active.id()).is_none() {
        return;
    }
    let (listener, reason) = (&context.services.listener, error.to_string());
    let guard = TransitionGuard::new(
        table,
        listener,
        active.id(),
        ActivationState::Error,
        &reason,
    );
    active.unload().await;
    let _ = guard.finish(ActivationState::Error, &reason);
}
