//! The state that all handles of a runtime share, and hooks over its active skills.

use std::sync::{Arc, Weak};

use prowess_core::{Operation, SkillId, ToolSpec};
use prowess_sdk::Phase;
use prowess_spec::manifest::Permission;
use serde_json::Value;

use crate::activation::{
    ActivationContext, ActivationTable, ActiveSkill, Parts, fail_after_crash_loop,
};
use crate::backend::BackendError;
use crate::hooks::{CallContext, Cancelled, Handler, Payload, dispatch};

/// What all handles of a runtime share.
pub(super) struct Shared {
    pub(super) context: ActivationContext,
    pub(super) table: ActivationTable,
    /// Serialises activation and deactivation: each must see what the previous one registered.
    pub(super) changing: tokio::sync::Mutex<()>,
}

/// An object as the payload of a hook.
pub(super) fn payload(value: &Value) -> Payload {
    value.as_object().cloned().unwrap_or_default()
}

impl Shared {
    pub(super) fn new(parts: Parts) -> Arc<Self> {
        Arc::new_cyclic(|shared: &Weak<Self>| Self {
            context: ActivationContext::new(parts, shared.clone()),
            table: ActivationTable::default(),
            changing: tokio::sync::Mutex::new(()),
        })
    }

    /// Fails the skill if the error says that its worker crashed too often.
    pub(super) async fn check_crash_loop(&self, active: &ActiveSkill, error: &BackendError) {
        fail_after_crash_loop(&self.context, &self.table, active, error).await;
    }

    /// Runs the handlers of a phase over a payload.
    pub(super) async fn run_hooks(
        &self,
        phase: Phase,
        payload: Payload,
        depth: usize,
    ) -> Result<Payload, Cancelled> {
        let done = self.run_call_hooks(phase, payload, None, depth).await;
        done.map(|(payload, _)| payload)
    }

    /// Runs the handlers that may see a tool call; also returns the skills that changed its input.
    pub(super) async fn run_call_hooks(
        &self,
        phase: Phase,
        payload: Payload,
        call: Option<&CallContext>,
        depth: usize,
    ) -> Result<(Payload, Vec<SkillId>), Cancelled> {
        let active = self.table.active();
        let handlers = active
            .iter()
            .filter(|active| active.contributions.hooks.contains(&phase))
            .filter_map(|active| {
                Some(Handler {
                    skill: active.id().clone(),
                    backend: active.backend.clone()?,
                    gate: Some(Arc::clone(&active.gate)),
                })
            });
        let handlers: Vec<Handler> = handlers
            .filter(|handler| call.is_none_or(|call| call.is_shown_to(handler)))
            .collect();
        let done = dispatch(phase, payload, &handlers, call, depth).await;
        self.context.emit_all(done.events);
        Ok((done.outcome?, done.changed_by))
    }

    /// The owner of a tool and the permissions of a call. A tool of the engine that runs scripts needs `shell:exec`.
    pub(super) fn call_context(&self, tool: &str) -> CallContext {
        let owner = self.table.tool_owner(tool);
        let dialect = self.context.skills.settings().dialect;
        let runs_scripts = |it: &ToolSpec| it.name == tool && it.operation == Operation::Run;
        let needs = match &owner {
            Some(owner) => owner.gate.permissions().collect(),
            None if dialect.tools.iter().any(runs_scripts) => vec![Permission::ShellExec],
            None => Vec::new(),
        };
        CallContext {
            owner: owner.map(|owner| owner.id().clone()),
            needs,
        }
    }
}
