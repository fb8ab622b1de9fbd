//! Code skills in a conversation: activation by triggers, and the events of the runtime.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillId;
use prowess_runtime::{
    ActivationError, ActivationState, Cause, CodeSkill, CodeSkillError, Listener, Project, Runtime,
    RuntimeEvent, Situation, Triggers,
};
use prowess_spec::manifest::Mode;

use crate::limits::KEYWORD_SKILLS;
use crate::wire::AgentEvent;

/// A runtime of code skills, with what activates them.
#[derive(Clone)]
pub struct RuntimeHandle {
    /// The runtime.
    pub runtime: Runtime,
    /// Triggers of the skills.
    pub triggers: Arc<Triggers>,
    /// The project that triggers look at.
    pub project: Arc<Project>,
    /// How the host is used.
    pub mode: Mode,
    /// Skills that are active whatever their triggers say.
    pub explicit: Vec<String>,
    /// Events of the runtime; [`EventBuffer::default`] if another listener receives them.
    pub events: EventBuffer,
}

/// Events that a buffer stores; further ones are only counted.
const EVENTS: usize = 2_000;

/// A bounded buffer of runtime events. Clones share it.
///
/// Give its [`Self::listener`] to the services of the runtime and the buffer to [`RuntimeHandle`]; the agent then reports
/// the events.
#[derive(Clone, Debug, Default)]
pub struct EventBuffer(Arc<Mutex<Events>>);

#[derive(Debug, Default)]
struct Events {
    stored: Vec<RuntimeEvent>,
    dropped: usize,
}

impl EventBuffer {
    /// Returns a listener that stores events here.
    pub fn listener(&self) -> Listener {
        let events = Arc::clone(&self.0);
        Listener::new(move |event| {
            let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
            if events.stored.len() < EVENTS {
                events.stored.push(event);
            } else {
                events.dropped += 1;
            }
        })
    }

    fn take(&self) -> Events {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RuntimeHandle {
    /// Activates the skills that a message triggers, and returns those whose instructions its keywords load. A keyword
    /// alone asks for no approval. Each failure is reported once per chat.
    pub(crate) async fn evaluate(
        &self,
        message: &str,
        known: &mut Vec<AgentEvent>,
        emit: &EventSink<'_>,
    ) -> Vec<SkillId> {
        let situation = Situation {
            project: &self.project,
            message,
            mode: self.mode,
            explicit: &self.explicit,
        };
        let activations = match self.triggers.evaluate(&situation) {
            Ok(activations) => activations,
            Err(unknown) => {
                let text = unknown.to_string();
                emit_once(AgentEvent::Notice { text }, known, emit);
                return Vec::new();
            }
        };
        let mut by_keyword = Vec::new();
        for activation in activations {
            let id = activation.id;
            let mut causes = activation.causes.iter();
            if causes.all(|cause| matches!(cause, Cause::Keyword { .. })) {
                let is_approved = self.runtime.is_approved(&id).await;
                by_keyword.push(id.clone());
                if !is_approved {
                    continue;
                }
            }
            self.activate(&id, known, emit).await;
        }
        by_keyword.truncate(KEYWORD_SKILLS);
        by_keyword
    }

    /// Activates a skill that the user asked for; earlier denials are asked again. Returns why its code is not active.
    pub(crate) async fn activate_for_user(
        &self,
        id: &SkillId,
        known: &mut Vec<AgentEvent>,
        emit: &EventSink<'_>,
    ) -> Option<String> {
        self.runtime.approvals().forget_denials(Some(id.as_str()));
        known.retain(
            |event| !matches!(event, AgentEvent::ActivationFailed { id: failed, .. } if failed == id),
        );
        self.activate(id, known, emit).await
    }

    /// Activates the skills of a saved chat whose approval is recorded. The others stay inactive; returns their events.
    pub(crate) async fn reactivate(&self, saved: &[SkillId]) -> Vec<AgentEvent> {
        let mut failed: Vec<(SkillId, String)> = Vec::new();
        for id in saved {
            let reason = match CodeSkill::read(self.runtime.skills(), id).await {
                Err(error) => error.to_string(),
                // A dependency is in the list as well; without it the activation would ask.
                Ok(skill)
                    if skill.manifest.dependencies.iter().any(|it| {
                        let name = it.name.as_str();
                        failed.iter().any(|(id, _)| id.name() == name)
                    }) || !self.runtime.approvals().undecided(&skill).is_empty() =>
                {
                    format!("its approval was for one session; type /{id} to approve it again")
                }
                Ok(_) => match self.runtime.activate(id).await {
                    Ok(()) => continue,
                    Err(error) => error.to_string(),
                },
            };
            failed.push((id.clone(), reason));
        }
        let event = |(id, reason)| AgentEvent::ActivationFailed { id, reason };
        failed.into_iter().map(event).collect()
    }

    /// Activates a skill; one without code is ignored. Returns why its code is not active.
    pub(crate) async fn activate(
        &self,
        id: &SkillId,
        known: &mut Vec<AgentEvent>,
        emit: &EventSink<'_>,
    ) -> Option<String> {
        let reason = match self.runtime.activate(id).await {
            Ok(()) | Err(ActivationError::Skill(CodeSkillError::NoManifest(_))) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason.clone() {
            let id = id.clone();
            emit_once(AgentEvent::ActivationFailed { id, reason }, known, emit);
        }
        self.emit_events(emit);
        reason.map(|reason| inactive(&reason))
    }

    /// Discards buffered events.
    pub(crate) fn discard_events(&self) {
        self.events.take();
    }

    /// Reports buffered events.
    pub(crate) fn emit_events(&self, emit: &EventSink<'_>) {
        let events = self.events.take();
        for event in events.stored {
            // Changes among the inactive states are noise.
            let idle = matches!(&event, RuntimeEvent::Changed { from, to, .. }
                if !matches!(from, ActivationState::Active) && !matches!(to, ActivationState::Active | ActivationState::Error));
            if !idle {
                emit(event.into());
            }
        }
        if events.dropped > 0 {
            let text = format!("{} more events of skills were dropped", events.dropped);
            emit(AgentEvent::Notice { text });
        }
    }
}

/// The notice for a model about a skill whose code is not active.
pub(crate) fn inactive(reason: &str) -> String {
    format!("The code of this skill is not active, so its tools are not available: {reason}")
}

/// Receives the events of an agent.
pub(crate) type EventSink<'a> = dyn Fn(AgentEvent) + Send + Sync + 'a;

/// Emits an event unless this chat already did.
fn emit_once(event: AgentEvent, known: &mut Vec<AgentEvent>, emit: &EventSink<'_>) {
    if !known.contains(&event) {
        known.push(event.clone());
        emit(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q24_unread_events_are_bounded() {
        let buffer = EventBuffer::default();
        let listener = buffer.listener();
        let skill: SkillId = "a".parse().unwrap();
        for _ in 0..EVENTS + 5 {
            let (skill, message) = (skill.clone(), "x".to_owned());
            listener.emit(RuntimeEvent::Log { skill, message });
        }
        let events = buffer.take();
        assert_eq!((events.stored.len(), events.dropped), (EVENTS, 5));
        assert!(buffer.take().stored.is_empty());
    }
}
