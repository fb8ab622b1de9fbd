//! Skills with code, around a conversation.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillId;
use prowess_runtime::{
    ActivationError, Listener, LivingError, Project, Runtime, RuntimeEvent, Situation, Triggers,
};
use prowess_spec::manifest::Mode;

use crate::wire::AgentEvent;

/// Skills with code, and what makes them active.
#[derive(Clone)]
pub struct Living {
    /// The skills that live.
    pub runtime: Runtime,
    /// What makes them active.
    pub triggers: Arc<Triggers>,
    /// The project that they are for.
    pub project: Arc<Project>,
    /// How the host is being used.
    pub mode: Mode,
    /// Skills that somebody named.
    pub explicit: Vec<String>,
    /// What they have to tell; [`Heard::default`] where somebody else listens.
    pub heard: Heard,
}

/// Events that are stored until they are taken; the rest is counted.
const EVENTS: usize = 2_000;

/// What happened to skills with code since somebody last asked. A clone hears the same.
///
/// Its [`Self::listener`] goes into the services of the runtime, itself into [`Living`]; then the agent tells of it.
/// It keeps a bounded number of events.
#[derive(Clone, Debug, Default)]
pub struct Heard(Arc<Mutex<Events>>);

#[derive(Debug, Default)]
struct Events {
    kept: Vec<RuntimeEvent>,
    dropped: usize,
}

impl Heard {
    /// Listens to a runtime.
    pub fn listener(&self) -> Listener {
        let events = Arc::clone(&self.0);
        Listener::new(move |event| {
            let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
            if events.kept.len() < EVENTS {
                events.kept.push(event);
            } else {
                events.dropped += 1;
            }
        })
    }

    fn take(&self) -> Events {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Living {
    /// Has the skills become active that a message calls for; what fails is told, once, and the rest goes on.
    pub(crate) async fn evaluate(
        &self,
        message: &str,
        known: &mut Vec<AgentEvent>,
        tell: &Tell<'_>,
    ) {
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
                once(AgentEvent::Notice { text }, known, tell);
                return;
            }
        };
        for activation in activations {
            self.activate(&activation.id, known, tell).await;
        }
    }

    /// Has a skill become active that the user asked for: what was denied before is asked about again.
    pub(crate) async fn activate_for_user(
        &self,
        id: &SkillId,
        known: &mut Vec<AgentEvent>,
        tell: &Tell<'_>,
    ) {
        self.runtime.approvals().forget_denials(Some(id.as_str()));
        known.retain(
            |event| !matches!(event, AgentEvent::ActivationFailed { id: failed, .. } if failed == id),
        );
        self.activate(id, known, tell).await;
    }

    /// Has one skill become active. One without code is left alone.
    pub(crate) async fn activate(
        &self,
        id: &SkillId,
        known: &mut Vec<AgentEvent>,
        tell: &Tell<'_>,
    ) {
        match self.runtime.activate(id).await {
            Ok(()) | Err(ActivationError::Living(LivingError::NoManifest(_))) => {}
            Err(error) => {
                let (id, reason) = (id.clone(), error.to_string());
                once(AgentEvent::ActivationFailed { id, reason }, known, tell);
            }
        }
        self.tell_heard(tell);
    }

    /// Forgets what the skills had to tell.
    pub(crate) fn forget_heard(&self) {
        self.heard.take();
    }

    /// Tells what the skills had to tell.
    pub(crate) fn tell_heard(&self, tell: &Tell<'_>) {
        let events = self.heard.take();
        for event in events.kept {
            // Looking for code where there is none is not worth a word.
            let idle = matches!(&event, RuntimeEvent::Changed { from, to, .. }
                if !matches!(from, prowess_runtime::State::Active) && !matches!(to, prowess_runtime::State::Active | prowess_runtime::State::Error));
            if !idle {
                tell(event.into());
            }
        }
        if events.dropped > 0 {
            let text = format!("{} more events of skills were dropped", events.dropped);
            tell(AgentEvent::Notice { text });
        }
    }
}

/// Whoever hears of events.
pub(crate) type Tell<'a> = dyn Fn(AgentEvent) + Send + Sync + 'a;

/// Tells what was not told in this chat yet.
fn once(event: AgentEvent, known: &mut Vec<AgentEvent>, tell: &Tell<'_>) {
    if !known.contains(&event) {
        known.push(event.clone());
        tell(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q24_events_that_nobody_asks_for_are_bounded() {
        let heard = Heard::default();
        let listener = heard.listener();
        let skill: SkillId = "a".parse().unwrap();
        for _ in 0..EVENTS + 5 {
            let (skill, message) = (skill.clone(), "x".to_owned());
            listener.tell(RuntimeEvent::Log { skill, message });
        }
        let events = heard.take();
        assert_eq!((events.kept.len(), events.dropped), (EVENTS, 5));
        assert!(heard.take().kept.is_empty());
    }
}
