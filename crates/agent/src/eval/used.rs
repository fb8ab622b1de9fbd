//! Whether a skill is used for a message.

use std::sync::atomic::{AtomicBool, Ordering};

use prowess_core::SkillId;
use prowess_runtime::Situation;

use super::benchmark::TriggerRun;
use super::run::{Contest, afresh};
use super::silence::silence;
use super::suite::Trigger;
use crate::cancel::Cancel;
use crate::error::AgentError;
use crate::runtime_handle::RuntimeHandle;
use crate::wire::{AgentEvent, By};

impl TriggerRun {
    /// A message that was not sent yet.
    pub(super) fn of(trigger: &Trigger) -> Self {
        Self {
            query: trigger.query.clone(),
            should_trigger: trigger.should_trigger,
            triggered: 0,
            runs: 0,
            errors: 0,
        }
    }
}

/// Whether a skill was used.
pub(super) enum Used {
    Yes,
    No,
    /// There was no answer, so there is no result.
    NotAnswered(&'static str),
}

/// Whether the model loads the skill for a message, or the message activates it; `None` if it was cancelled. The turn
/// ends as soon as that is known.
pub(super) async fn is_used(
    contest: &Contest,
    query: &str,
    cancel: &Cancel,
) -> Option<Result<Used, AgentError>> {
    if cancel.is_cancelled() {
        return None;
    }
    let agent = &contest.with;
    if let Some(code_skills) = &agent.inner.code_skills
        && is_called_for(code_skills, &contest.skill, query)
    {
        return Some(Ok(Used::Yes));
    }
    let (enough, seen) = (Cancel::new(), AtomicBool::new(false));
    let watch = |event: AgentEvent| {
        if matches!(&event, AgentEvent::SkillLoaded { id, by: By::Model, .. } if *id == contest.skill)
        {
            seen.store(true, Ordering::Relaxed);
            enough.cancel();
        }
    };
    let turned = async {
        let mut chat = agent.chat();
        let report = chat.turn(query, &[], &watch, &enough).await?;
        if seen.load(Ordering::Relaxed) {
            return Ok(Used::Yes);
        }
        let silent = silence(&report);
        match report.failure {
            Some(error) => Err(error.into()),
            None => Ok(silent.map_or(Used::No, Used::NotAnswered)),
        }
    };
    let turned = cancel.unless(turned).await;
    afresh(agent).await;
    turned
}

/// Whether the words of a message activate the skill. Activation by the project alone does not count.
fn is_called_for(code_skills: &RuntimeHandle, skill: &SkillId, query: &str) -> bool {
    let activates = |message: &str| {
        let situation = Situation {
            project: &code_skills.project,
            message,
            mode: code_skills.mode,
            explicit: &code_skills.explicit,
        };
        let activations = code_skills.triggers.evaluate(&situation);
        activations.is_ok_and(|all| all.iter().any(|it| it.id == *skill))
    };
    activates(query) && !activates("")
}
