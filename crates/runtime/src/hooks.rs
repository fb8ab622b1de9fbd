//! Dispatch of hooks to the handlers of skills.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_sdk::Phase;
use prowess_sdk::wire::HookResult;
use prowess_spec::manifest::{Keyword, Permission};
use serde_json::{Map, Value};

use crate::backend::{Backend, handle_hook};
use crate::event::RuntimeEvent;
use crate::gate::Gate;

/// The data that handlers receive and change.
pub type Payload = Map<String, Value>;

/// The handler of a skill.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) skill: SkillId,
    pub(crate) backend: Arc<dyn Backend>,
    /// The permissions of the skill; `None` for hooks of its own activation.
    pub(crate) gate: Option<Arc<Gate>>,
}

/// The tool call of a hook.
pub(crate) struct CallContext {
    /// The skill that contributes the tool; `None` for a tool of the engine.
    pub(crate) owner: Option<SkillId>,
    /// Permissions of the call. A skill needs them to change its input.
    pub(crate) needs: Vec<Permission>,
}

impl CallContext {
    /// Whether a handler may see the call: a tool of its own skill, or any with `hook:tools`.
    pub(crate) fn is_shown_to(&self, handler: &Handler) -> bool {
        self.owner.as_ref() == Some(&handler.skill) || handler.may(Permission::HookTools)
    }

    /// A permission of the call that the skill of a handler lacks.
    fn missing_permission(&self, handler: &Handler) -> Option<Permission> {
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

/// A handler cancelled a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{skill}` cancelled it: {reason}")]
pub struct Cancelled {
    /// The skill.
    pub skill: SkillId,
    /// The reason.
    pub reason: String,
}

/// The result of a dispatch.
#[derive(Debug)]
pub(crate) struct DispatchResult {
    pub(crate) outcome: Result<Payload, Cancelled>,
    pub(crate) events: Vec<RuntimeEvent>,
    /// The skills that changed the input of a call, in order.
    pub(crate) changed_by: Vec<SkillId>,
}

/// Calls handlers in order; each receives the payload that the previous one changed.
pub(crate) async fn dispatch(
    phase: Phase,
    mut payload: Payload,
    handlers: &[Handler],
    call: Option<&CallContext>,
    depth: usize,
) -> DispatchResult {
    let mut events = Vec::new();
    let mut changed_by = Vec::new();
    for handler in handlers {
        let data = Value::Object(payload.clone());
        let asked = handle_hook(&*handler.backend, phase, data, depth).await;
        let answer = asked
            .map_err(|error| error.to_string())
            .and_then(|answer| check_types(phase, answer));
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
                    .and_then(|call| call.missing_permission(handler))
                    .map(|lacked| {
                        format!(
                            "it changed the input and lacks `{}`, which this call needs",
                            lacked.as_str()
                        )
                    })
            }
            Err(reason) => {
                events.push(RuntimeEvent::HookFailed {
                    skill: handler.skill.clone(),
                    phase,
                    reason: reason.clone(),
                });
                // A failed guard allows no call.
                (phase == Phase::BeforeToolCall).then(|| format!("its handler failed: {reason}"))
            }
        };
        if let Some(reason) = failed {
            let skill = handler.skill.clone();
            return DispatchResult {
                outcome: Err(Cancelled { skill, reason }),
                events,
                changed_by,
            };
        }
    }
    DispatchResult {
        outcome: Ok(payload),
        events,
        changed_by,
    }
}

/// Whether a key is read-only for handlers.
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

/// Checks the types of changed values.
fn check_types(phase: Phase, answer: HookResult) -> Result<HookResult, String> {
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
            return Err(format!("invalid type of `{key}`"));
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

/// Appends new items; a handler may also return the items that it received.
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
