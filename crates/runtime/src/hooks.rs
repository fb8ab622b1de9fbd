//! Handlers of skills, one after the other.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_sdk::Phase;
use prowess_sdk::wire::HookResult;
use prowess_spec::manifest::{Permission, Word};
use serde_json::{Map, Value};

use crate::backend::{Backend, handle_hook};
use crate::event::RuntimeEvent;
use crate::gate::Gate;

/// The keys and values that handlers see and change.
pub type Payload = Map<String, Value>;

/// A handler of one skill.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) skill: SkillId,
    pub(crate) backend: Arc<dyn Backend>,
    /// What the skill may do; none for a handler that is about itself.
    pub(crate) gate: Option<Arc<Gate>>,
}

/// A tool call that handlers see.
pub(crate) struct CallContext {
    /// The skill whose tool it is; none for a tool of the engine.
    pub(crate) owner: Option<SkillId>,
    /// What the call needs: a skill that changes its input needs the same.
    pub(crate) needs: Vec<Permission>,
}

impl CallContext {
    /// Whether a handler sees the call: its own skill's, or any where the user said so.
    pub(crate) fn is_shown_to(&self, handler: &Handler) -> bool {
        self.owner.as_ref() == Some(&handler.skill) || handler.may(Permission::HookTools)
    }

    /// What a skill that changed the input lacks for the call that it made of it.
    fn lacked_by(&self, handler: &Handler) -> Option<Permission> {
        let own = self.owner.as_ref() == Some(&handler.skill);
        let needs = self.needs.iter().copied();
        needs.into_iter().find(|it| !own && !handler.may(*it))
    }
}

impl Handler {
    fn may(&self, permission: Permission) -> bool {
        let gate = self.gate.as_ref();
        gate.is_some_and(|gate| gate.may(permission).is_ok())
    }
}

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{skill}` cancelled it: {reason}")]
pub struct Cancelled {
    /// The skill.
    pub skill: SkillId,
    /// What it says.
    pub reason: String,
}

/// What became of a payload, and what there is to tell.
#[derive(Debug)]
pub(crate) struct Dispatched {
    pub(crate) outcome: Result<Payload, Cancelled>,
    pub(crate) events: Vec<RuntimeEvent>,
    /// The skills that changed the input of a call, in order.
    pub(crate) changed_by: Vec<SkillId>,
}

/// Asks one handler after the other; each sees what the last one changed.
pub(crate) async fn dispatch(
    phase: Phase,
    mut payload: Payload,
    handlers: &[Handler],
    call: Option<&CallContext>,
    depth: usize,
) -> Dispatched {
    let mut events = Vec::new();
    let mut changed_by = Vec::new();
    for handler in handlers {
        let data = Value::Object(payload.clone());
        let asked = handle_hook(&*handler.backend, phase, data, depth).await;
        let answer = asked
            .map_err(|error| error.to_string())
            .and_then(|answer| checked(phase, answer));
        let failed = match answer {
            Ok(answer) if answer.cancel && phase == Phase::BeforeToolCall => {
                let reason = answer
                    .reason
                    .unwrap_or_else(|| "no reason given".to_owned());
                Some(reason)
            }
            Ok(answer) => {
                if answer.cancel {
                    events.push(RuntimeEvent::CancelIgnored {
                        skill: handler.skill.clone(),
                        phase,
                    });
                }
                let before = payload.get("input").cloned();
                merge(phase, &mut payload, answer.modified.unwrap_or_default());
                let changed =
                    phase == Phase::BeforeToolCall && payload.get("input") != before.as_ref();
                if changed {
                    changed_by.push(handler.skill.clone());
                }
                call.filter(|_| changed)
                    .and_then(|call| call.lacked_by(handler))
                    .map(|lacked| {
                        format!(
                            "it changed the input and lacks `{}`, which this call needs",
                            lacked.word()
                        )
                    })
            }
            Err(reason) => {
                events.push(RuntimeEvent::HookFailed {
                    skill: handler.skill.clone(),
                    phase,
                    reason: reason.clone(),
                });
                // Who guards tools and falls over lets nothing through.
                (phase == Phase::BeforeToolCall).then(|| format!("its handler failed: {reason}"))
            }
        };
        if let Some(reason) = failed {
            let skill = handler.skill.clone();
            return Dispatched {
                outcome: Err(Cancelled { skill, reason }),
                events,
                changed_by,
            };
        }
    }
    Dispatched {
        outcome: Ok(payload),
        events,
        changed_by,
    }
}

/// Keys that a handler may not change: they say what it is asked about.
fn is_fixed(phase: Phase, key: &str) -> bool {
    match phase {
        Phase::Activate | Phase::Deactivate | Phase::ConversationStart => true,
        Phase::BeforePromptBuild => key != "fragments",
        Phase::BeforeToolCall => key != "input",
        Phase::AfterToolResult => matches!(key, "tool" | "input"),
        Phase::AfterResponse => key != "response",
        Phase::BeforeWikiSection => key != "context",
        Phase::SecurityScanComplete => key != "findings",
    }
}

/// An answer whose values are of the kind that their keys have.
fn checked(phase: Phase, answer: HookResult) -> Result<HookResult, String> {
    for (key, value) in answer.modified.iter().flatten() {
        let fits = match (phase, key.as_str()) {
            (Phase::AfterToolResult, "content") | (Phase::AfterResponse, "response") => {
                value.is_string()
            }
            (Phase::AfterToolResult, "is_error") => value.is_boolean(),
            (Phase::BeforePromptBuild, "fragments") => {
                value.is_string()
                    || value
                        .as_array()
                        .is_some_and(|items| items.iter().all(Value::is_string))
            }
            (Phase::SecurityScanComplete, "findings") => value.is_array(),
            _ => true,
        };
        if !fits {
            return Err(format!("what it gives as `{key}` is of the wrong kind"));
        }
    }
    Ok(answer)
}

fn merge(phase: Phase, payload: &mut Payload, modified: Payload) {
    for (key, value) in modified {
        if is_fixed(phase, &key) {
            continue;
        }
        if phase == Phase::BeforePromptBuild {
            append(payload, &key, value);
        } else {
            payload.insert(key, value);
        }
    }
}

/// Adds what is new; a handler may hand back what it was given.
fn append(payload: &mut Payload, key: &str, value: Value) {
    let new = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    let entry = payload
        .entry(key)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(there) = entry {
        for item in new {
            if !there.contains(&item) {
                there.push(item);
            }
        }
    }
}
