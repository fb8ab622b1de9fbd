//! The lives of skills: who is active, how that changes, and who is asked in which order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use prowess_core::{Operation, SkillId, Skills, ToolSpec};
use prowess_sdk::Phase;
use prowess_sdk::wire::Output;
use prowess_spec::manifest::Permission;
use serde_json::{Value, json};

use crate::activate::{ActivationError, Made, make};
use crate::active::Active;
use crate::approval::{Approvals, Approver};
use crate::backend::{BackendError, execute_tool, run_workflow};
use crate::event::RuntimeEvent;
use crate::hooks::{CallContext, Cancelled, Handler, Payload, dispatch};
use crate::host::{Invoke, Services};
use crate::limits::DEPTH;
use crate::runtime::{ChangedInput, Parts, ToolResult, UnknownContribution};
use crate::start::Workers;
use crate::state::{InvalidTransition, State};
use crate::step::Step;

/// What all handles of a runtime share.
pub(crate) struct Inner {
    pub(crate) skills: Skills,
    pub(crate) workers: Workers,
    pub(crate) services: Arc<Services>,
    pub(crate) approvals: Approvals,
    pub(crate) approver: Arc<dyn Approver>,
    lives: Mutex<Lives>,
    /// Skills become active one after the other: each must see what the last one registered.
    pub(crate) changing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Lives {
    of: BTreeMap<SkillId, Life>,
    activations: u64,
    /// Cancellations that were ignored and told of.
    told: Vec<(SkillId, Phase)>,
}

#[derive(Default)]
struct Life {
    state: State,
    reason: String,
    active: Option<Arc<Active>>,
}

/// An object as the payload of a hook.
pub(crate) fn payload(value: &Value) -> Payload {
    value.as_object().cloned().unwrap_or_default()
}

impl Inner {
    pub(crate) fn new(mut parts: Parts) -> Self {
        if parts.services.jails.is_none() {
            parts.services.jails.clone_from(&parts.workers.jails);
        }
        Self {
            skills: parts.skills,
            workers: parts.workers,
            services: Arc::new(parts.services),
            approvals: parts.approvals,
            approver: parts.approver,
            lives: Mutex::default(),
            changing: tokio::sync::Mutex::new(()),
        }
    }

    /// Where a skill is in its life, and why.
    pub(crate) fn state(&self, id: &SkillId) -> (State, String) {
        let lives = self.lives();
        let life = lives.of.get(id);
        life.map(|life| (life.state, life.reason.clone()))
            .unwrap_or_default()
    }

    fn lives(&self) -> MutexGuard<'_, Lives> {
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn emit(&self, event: RuntimeEvent) {
        self.services.listener.emit(event);
    }

    pub(crate) fn active(&self) -> Vec<Arc<Active>> {
        let lives = self.lives();
        let mut active: Vec<Arc<Active>> = lives
            .of
            .values()
            .filter_map(|life| life.active.clone())
            .collect();
        active.sort_by_key(|active| active.position());
        active
    }

    /// The next step of a skill's life, told to who listens.
    pub(crate) fn change(
        &self,
        id: &SkillId,
        to: State,
        reason: &str,
    ) -> Result<(), InvalidTransition> {
        let from = {
            let mut lives = self.lives();
            let life = lives.of.entry(id.clone()).or_default();
            let from = life.state;
            life.state = from.to(to)?;
            reason.clone_into(&mut life.reason);
            from
        };
        self.emit(RuntimeEvent::Changed {
            skill: id.clone(),
            from,
            to,
            reason: reason.to_owned(),
        });
        Ok(())
    }

    pub(crate) async fn activate(
        self: &Arc<Self>,
        id: &SkillId,
        waiting: &mut Vec<SkillId>,
    ) -> Result<(), ActivationError> {
        let (state, reason) = self.state(id);
        match state {
            State::Active => return Ok(()),
            State::Error => {
                let skill = id.clone();
                return Err(ActivationError::Failed { skill, reason });
            }
            State::Inactive | State::Activating => {}
        }
        self.change(id, State::Activating, "")?;
        // Its worker ends with what holds it, and nothing is registered before the end.
        let step = Step::begin(self, id, State::Inactive, "its activation was dropped");
        let settled = match make(self, id, waiting).await {
            Ok(made) => self.settle(id, made).await,
            Err(error) => Err(error),
        };
        match settled {
            Ok(active) => {
                if let Some(life) = self.lives().of.get_mut(id) {
                    life.active = Some(active);
                }
                step.end(State::Active, "")?;
                Ok(())
            }
            Err(error) => {
                let next = if error.leaves_inactive() {
                    State::Inactive
                } else {
                    State::Error
                };
                step.end(next, &error.to_string())?;
                Err(error)
            }
        }
    }

    /// Greets a skill that could be activated; one that fails at that is ended.
    async fn settle(&self, id: &SkillId, made: Made) -> Result<Arc<Active>, ActivationError> {
        let greeted = made.backend.is_some() && made.contributions.hooks.contains(&Phase::Activate);
        let active = {
            let mut lives = self.lives();
            lives.activations += 1;
            Arc::new(Active {
                skill: made.skill,
                gate: made.gate,
                backend: made.backend,
                contributions: made.contributions,
                order: lives.activations,
            })
        };
        if greeted && let Some(backend) = active.backend.clone() {
            let skill = id.clone();
            let greeting = payload(&json!({"skill": id}));
            let handler = Handler {
                skill,
                backend,
                gate: None,
            };
            let told = dispatch(Phase::Activate, greeting, &[handler], None, 0).await;
            let failed = told.events.into_iter().find_map(|event| match event {
                RuntimeEvent::HookFailed { reason, .. } => Some(reason),
                _ => None,
            });
            if let Some(reason) = failed {
                if let Some(backend) = &active.backend {
                    let _ = backend.unload().await;
                }
                let skill = id.clone();
                return Err(ActivationError::Greeting { skill, reason });
            }
        }
        Ok(active)
    }

    pub(crate) async fn deactivate(&self, id: &SkillId, reason: &str) {
        let active = self
            .lives()
            .of
            .get_mut(id)
            .and_then(|life| life.active.take());
        let Some(active) = active else {
            return;
        };
        // What it registered is gone already, so it is inactive however much of its farewell is heard.
        let step = Step::begin(self, id, State::Inactive, reason);
        let mut reason = reason.to_owned();
        if let Some(backend) = &active.backend {
            if active.contributions.hooks.contains(&Phase::Deactivate) {
                let handler = Handler {
                    skill: id.clone(),
                    backend: Arc::clone(backend),
                    gate: None,
                };
                let farewell = payload(&json!({"skill": id}));
                let told = dispatch(Phase::Deactivate, farewell, &[handler], None, 0).await;
                self.report(told.events);
            }
            if let Err(error) = backend.unload().await {
                reason = format!("{reason}; {error}");
            }
        }
        // An active skill may always become inactive.
        let _ = step.end(State::Inactive, &reason);
    }

    /// What a failure means for the skill as a whole: a worker that keeps falling over is given up.
    pub(crate) async fn judge(&self, active: &Active, error: &BackendError) {
        if !matches!(error, BackendError::CrashLoop(..)) {
            return;
        }
        let taken = self
            .lives()
            .of
            .get_mut(active.id())
            .and_then(|life| life.active.take());
        if taken.is_some() {
            let reason = error.to_string();
            let step = Step::begin(self, active.id(), State::Error, &reason);
            if let Some(backend) = &active.backend {
                let _ = backend.unload().await;
            }
            let _ = step.end(State::Error, &reason);
        }
    }

    fn report(&self, events: Vec<RuntimeEvent>) {
        for event in events {
            if let RuntimeEvent::CancelIgnored { skill, phase } = &event {
                let mut lives = self.lives();
                let key = (skill.clone(), *phase);
                if lives.told.contains(&key) {
                    continue;
                }
                lives.told.push(key);
            }
            self.emit(event);
        }
    }

    pub(crate) async fn dispatch(
        &self,
        phase: Phase,
        payload: Payload,
        depth: usize,
    ) -> Result<Payload, Cancelled> {
        let dispatched = self.dispatch_call(phase, payload, None, depth).await;
        dispatched.map(|(payload, _)| payload)
    }

    /// The same about a tool call, which only those handlers see that may; also who changed its input.
    async fn dispatch_call(
        &self,
        phase: Phase,
        payload: Payload,
        call: Option<&CallContext>,
        depth: usize,
    ) -> Result<(Payload, Vec<SkillId>), Cancelled> {
        let handlers: Vec<Handler> = self
            .active()
            .iter()
            .filter(|active| active.contributions.hooks.contains(&phase))
            .filter_map(|active| {
                Some(Handler {
                    skill: active.id().clone(),
                    backend: active.backend.clone()?,
                    gate: Some(Arc::clone(&active.gate)),
                })
            })
            .filter(|handler| call.is_none_or(|call| call.is_shown_to(handler)))
            .collect();
        if handlers.is_empty() {
            return Ok((payload, Vec::new()));
        }
        let done = dispatch(phase, payload, &handlers, call, depth).await;
        self.report(done.events);
        Ok((done.outcome?, done.changed_by))
    }

    /// Whose tool it is, and what a call of it needs. A tool of the engine that runs a script needs to run commands.
    fn call_context(&self, tool: &str) -> CallContext {
        let active = self.active();
        let has = |one: &&Arc<Active>| one.contributions.tools.iter().any(|it| it.name == tool);
        let owner = active.iter().find(has);
        let dialect = self.skills.settings().dialect;
        let script = |it: &ToolSpec| it.name == tool && it.operation == Operation::Run;
        let needs = match owner {
            Some(owner) => owner.gate.permissions().collect(),
            None if dialect.tools.iter().any(script) => vec![Permission::ShellExec],
            None => Vec::new(),
        };
        CallContext {
            owner: owner.map(|owner| owner.id().clone()),
            needs,
        }
    }

    pub(crate) async fn before_tool_call(
        &self,
        tool: &str,
        input: Value,
        depth: usize,
    ) -> Result<ChangedInput, Cancelled> {
        let asked = payload(&json!({"tool": tool, "input": input}));
        let call = self.call_context(tool);
        let dispatched = self.dispatch_call(Phase::BeforeToolCall, asked, Some(&call), depth);
        let (mut answered, changed_by) = dispatched.await?;
        Ok(ChangedInput {
            input: answered.remove("input").unwrap_or_default(),
            changed_by,
        })
    }

    pub(crate) async fn after_tool_result(
        &self,
        tool: &str,
        input: &Value,
        result: ToolResult,
        depth: usize,
    ) -> ToolResult {
        let asked = payload(&json!({
            "tool": tool,
            "input": input,
            "content": result.content,
            "is_error": result.is_error,
        }));
        let call = self.call_context(tool);
        let dispatched = self.dispatch_call(Phase::AfterToolResult, asked, Some(&call), depth);
        let Ok((mut answered, _)) = dispatched.await else {
            return result;
        };
        let content = answered.remove("content");
        let is_error = answered.remove("is_error");
        answered.remove("tool");
        answered.remove("input");
        ToolResult {
            content: match content {
                Some(Value::String(content)) => content,
                _ => result.content,
            },
            is_error: is_error
                .and_then(|it| it.as_bool())
                .unwrap_or(result.is_error),
            more: answered,
            changed: result.changed,
        }
    }

    pub(crate) async fn call_tool(
        &self,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<ToolResult, UnknownContribution> {
        let active = self.active();
        let has = |one: &&Arc<Active>| one.contributions.tools.iter().any(|tool| tool.name == name);
        let Some(owner) = active.iter().find(has) else {
            let tools = active.iter().flat_map(|one| &one.contributions.tools);
            return Err(UnknownContribution {
                what: "the tool",
                name: name.to_owned(),
                known: tools.map(|tool| tool.name.clone()).collect(),
            });
        };
        if depth > DEPTH {
            return Ok(ToolResult::error(format!(
                "`{name}` was not called: tools call each other more than {DEPTH} deep"
            )));
        }
        let changed = match self.before_tool_call(name, input, depth).await {
            Ok(changed) => changed,
            Err(cancelled) => {
                return Ok(ToolResult::error(format!(
                    "`{name}` was not called: {cancelled}"
                )));
            }
        };
        let Some(backend) = &owner.backend else {
            return Ok(ToolResult::error(format!("`{name}` has no code")));
        };
        let input = changed.input.clone();
        let mut result = match execute_tool(&**backend, name, input.clone(), depth).await {
            Ok(output) => ToolResult {
                content: output.content,
                is_error: output.is_error,
                ..ToolResult::default()
            },
            Err(error) => {
                self.judge(owner, &error).await;
                ToolResult::error(format!("`{name}` of `{}`: {error}", owner.id()))
            }
        };
        result.changed = Some(changed).filter(|it| !it.changed_by.is_empty());
        Ok(self.after_tool_result(name, &input, result, depth).await)
    }

    pub(crate) async fn run_workflow(
        &self,
        skill: &str,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<Output, UnknownContribution> {
        let active = self.active();
        let owner = active.iter().find(|one| one.id().as_str() == skill);
        let workflows = owner.map_or(&[][..], |one| &one.contributions.workflows);
        let backend = owner.and_then(|one| one.backend.as_ref());
        let (Some(owner), Some(backend), true) =
            (owner, backend, workflows.iter().any(|known| known == name))
        else {
            return Err(UnknownContribution {
                what: "the workflow",
                name: format!("{skill}/{name}"),
                known: workflows.to_vec(),
            });
        };
        match run_workflow(&**backend, name, input, depth).await {
            Ok(output) => Ok(output),
            Err(error) => {
                self.judge(owner, &error).await;
                Ok(Output {
                    content: error.to_string(),
                    is_error: true,
                })
            }
        }
    }

    pub(crate) fn as_others(self: &Arc<Self>) -> Weak<dyn Invoke> {
        let weak: Weak<Self> = Arc::downgrade(self);
        weak
    }
}

#[async_trait]
impl Invoke for Inner {
    async fn invoke(
        &self,
        skill: &str,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<Output, String> {
        if depth > DEPTH {
            return Err(format!(
                "skills call each other more than {DEPTH} deep; `{skill}` was not called"
            ));
        }
        let owner = self
            .active()
            .into_iter()
            .find(|one| one.id().as_str() == skill);
        let Some(owner) = owner else {
            return Err(format!("`{skill}` is not active"));
        };
        let is_tool = owner.contributions.tools.iter().any(|it| it.name == name);
        if is_tool {
            let result = self.call_tool(name, input, depth).await;
            let result = result.map_err(|error| error.to_string())?;
            return Ok(Output {
                content: result.content,
                is_error: result.is_error,
            });
        }
        let output = self.run_workflow(skill, name, input, depth).await;
        output.map_err(|error| error.to_string())
    }
}
