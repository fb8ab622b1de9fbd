//! Skills that live: who is active, and what they have to say.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use prowess_core::{SkillId, Skills};
use prowess_scan::PatternRule;
use prowess_sdk::Phase;
use prowess_sdk::wire::{Finding, Output, ScannedFile, Tool};
use prowess_spec::manifest::WikiSection;
use serde_json::{Value, json};

use crate::activate::{ActivationError, Made, make};
use crate::active::Active;
use crate::approval::{Approvals, Approver, NobodyToAsk};
use crate::backend::{BackendError, execute_tool, run_scanner, run_workflow};
use crate::event::RuntimeEvent;
use crate::hooks::{Cancelled, Handler, Payload, dispatch};
use crate::host::{Invoke, Services};
use crate::limits::DEPTH;
use crate::living::LivingSkill;
use crate::prompt::{Fragment, Lost, PromptReport, fit};
use crate::start::Workers;
use crate::state::{InvalidTransition, State};

/// What a runtime is made of.
pub struct Parts {
    /// The skills.
    pub skills: Skills,
    /// How code is run.
    pub workers: Workers,
    /// What the host offers.
    pub services: Services,
    /// What was said about permissions.
    pub approvals: Approvals,
    /// Who can be asked.
    pub approver: Arc<dyn Approver>,
}

impl Parts {
    /// Skills alone: nothing approved, nobody to ask, no project.
    pub fn new(skills: Skills) -> Self {
        Self {
            skills,
            workers: Workers::default(),
            services: Services::default(),
            approvals: Approvals::default(),
            approver: Arc::new(NobodyToAsk),
        }
    }
}

/// Skills with code, and their lives. A clone is another handle to the same ones.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) skills: Skills,
    pub(crate) workers: Workers,
    pub(crate) services: Arc<Services>,
    pub(crate) approvals: Approvals,
    pub(crate) approver: Arc<dyn Approver>,
    lives: Mutex<Lives>,
    /// Skills become active one after the other: each must see what the last one registered.
    changing: tokio::sync::Mutex<()>,
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

/// The result of a tool, as handlers left it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The text.
    pub content: String,
    /// Whether it tells of a failure.
    pub is_error: bool,
    /// What handlers added.
    pub more: Payload,
}

impl ToolResult {
    fn error(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: true,
            more: Payload::new(),
        }
    }
}

/// There is no such tool, workflow or scanner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no active skill has {what} `{name}`{}", there(known))]
pub struct Unknown {
    /// What it should have been.
    pub what: &'static str,
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<String>,
}

fn there(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!("; there is {}", known.join(", ")),
    }
}

impl Runtime {
    /// A runtime in which nothing is active yet.
    pub fn new(parts: Parts) -> Self {
        Self {
            inner: Arc::new(Inner {
                skills: parts.skills,
                workers: parts.workers,
                services: Arc::new(parts.services),
                approvals: parts.approvals,
                approver: parts.approver,
                lives: Mutex::default(),
                changing: tokio::sync::Mutex::new(()),
            }),
        }
    }

    /// The skills behind it.
    pub fn skills(&self) -> &Skills {
        &self.inner.skills
    }

    /// What was said about permissions.
    pub fn approvals(&self) -> &Approvals {
        &self.inner.approvals
    }

    /// Where a skill is in its life, and why.
    pub fn state(&self, id: &SkillId) -> (State, String) {
        let lives = self.inner.lives();
        let life = lives.of.get(id);
        life.map(|life| (life.state, life.reason.clone()))
            .unwrap_or_default()
    }

    /// The active skills, in the order in which they have their say.
    pub fn active(&self) -> Vec<SkillId> {
        let active = self.inner.active();
        active.iter().map(|active| active.id().clone()).collect()
    }

    /// Has a skill become active, after those that it needs. One that is active already stays so.
    pub async fn activate(&self, id: &SkillId) -> Result<(), ActivationError> {
        let _alone = self.inner.changing.lock().await;
        self.inner.activate(id, &mut Vec::new()).await
    }

    /// Has a skill become inactive; whatever goes wrong, it is. One that is not active is left alone.
    pub async fn deactivate(&self, id: &SkillId) {
        let _alone = self.inner.changing.lock().await;
        self.inner.deactivate(id, "asked to").await;
    }

    /// Ends every active skill, the last one first.
    pub async fn shut_down(&self) {
        let _alone = self.inner.changing.lock().await;
        for active in self.inner.active().iter().rev() {
            self.inner.deactivate(active.id(), "the end").await;
        }
    }

    /// Gives a failed skill another chance.
    pub fn reset(&self, id: &SkillId) -> Result<(), InvalidTransition> {
        match self.state(id).0 {
            State::Error => self.inner.change(id, State::Inactive, "reset"),
            from => Err(InvalidTransition {
                from,
                to: State::Inactive,
            }),
        }
    }

    /// A new turn: what is counted begins anew, and a skill that changed on the disk is no longer active.
    pub async fn begin_turn(&self) {
        let _alone = self.inner.changing.lock().await;
        for active in self.inner.active() {
            active.gate.begin_turn();
            let now = LivingSkill::read(&self.inner.skills, active.id()).await;
            let reason = match now {
                Ok(now) if now.content.subject() == active.skill.content.subject() => continue,
                Ok(_) => "its files changed".to_owned(),
                Err(error) => error.to_string(),
            };
            self.inner.deactivate(active.id(), &reason).await;
        }
    }

    /// The tools of the active skills.
    pub fn tools(&self) -> Vec<Tool> {
        let active = self.inner.active();
        let tools = active.iter().flat_map(|active| &active.contributions.tools);
        tools.cloned().collect()
    }

    /// Calls a tool of an active skill, with the handlers before and after it.
    pub async fn call_tool(&self, name: &str, input: Value) -> Result<ToolResult, Unknown> {
        self.inner.call_tool(name, input, 0).await
    }

    /// Asks the handlers about a call of a tool, whosever it is: the input to call it with.
    pub async fn before_tool_call(&self, tool: &str, input: Value) -> Result<Value, Cancelled> {
        self.inner.before_tool_call(tool, input, 0).await
    }

    /// Shows the handlers what a tool answered, whosever it is.
    pub async fn after_tool_result(
        &self,
        tool: &str,
        input: &Value,
        result: ToolResult,
    ) -> ToolResult {
        self.inner.after_tool_result(tool, input, result, 0).await
    }

    /// Runs a workflow of an active skill.
    pub async fn run_workflow(
        &self,
        skill: &SkillId,
        name: &str,
        input: Value,
    ) -> Result<Output, Unknown> {
        let output = self.inner.run_workflow(skill.as_str(), name, input, 0);
        output.await
    }

    /// The workflows of the active skills.
    pub fn workflows(&self) -> Vec<(SkillId, String)> {
        let active = self.inner.active();
        let each = active.iter().flat_map(|active| {
            let names = active.contributions.workflows.iter();
            names.map(|name| (active.id().clone(), name.clone()))
        });
        each.collect()
    }

    /// Tells the handlers that a conversation begins.
    pub async fn conversation_starts(&self, user_message: &str) {
        let payload = payload(&json!({"user_message": user_message}));
        let _ = self
            .inner
            .dispatch(Phase::ConversationStart, payload, 0)
            .await;
    }

    /// What the active skills and their handlers add to the system prompt, within a budget of tokens.
    pub async fn prompt(
        &self,
        system_prompt: &str,
        budget: usize,
    ) -> (Vec<Fragment>, PromptReport) {
        let active = self.inner.active();
        let own = active.iter().map(|active| &active.contributions);
        let fragments: Vec<Fragment> = own.clone().filter_map(|own| own.fragment.clone()).collect();
        let texts: Vec<&str> = fragments
            .iter()
            .map(|fragment| fragment.text.as_str())
            .collect();
        let asked =
            payload(&json!({"system_prompt": system_prompt, "fragments": texts, "budget": budget}));
        let answered = self
            .inner
            .dispatch(Phase::BeforePromptBuild, asked, 0)
            .await;
        let answered = answered.unwrap_or_default();
        let all = answered.get("fragments").and_then(Value::as_array);
        let added = all.into_iter().flatten().skip(fragments.len());
        let added: Vec<Fragment> = added
            .filter_map(Value::as_str)
            .map(|text| Fragment {
                skill: None,
                text: text.to_owned(),
            })
            .collect();
        let (kept, mut report) = fit(fragments.into_iter().chain(added).collect(), budget);
        let cut_before = active
            .iter()
            .filter(|one| one.contributions.fragment_lost > 0);
        report.cut.extend(cut_before.map(|one| Lost {
            skill: Some(one.id().clone()),
            tokens: one.contributions.fragment_lost,
        }));
        (kept, report)
    }

    /// Lets the transforms have the model's response, one after the other.
    pub async fn after_response(&self, response: &str) -> String {
        let asked = payload(&json!({"response": response}));
        let answered = self.inner.dispatch(Phase::AfterResponse, asked, 0).await;
        let answered = answered.ok();
        let text = answered
            .as_ref()
            .and_then(|it| it.get("response")?.as_str());
        text.unwrap_or(response).to_owned()
    }

    /// Sections that active skills contribute to a wiki, with their texts.
    pub fn wiki_sections(&self) -> Vec<(SkillId, WikiSection, String)> {
        let active = self.inner.active();
        let sections = active.iter().flat_map(|one| {
            one.contributions.wiki.iter().filter_map(|section| {
                let text =
                    String::from_utf8_lossy(one.skill.content.file(&section.file)?).into_owned();
                Some((one.id().clone(), section.clone(), text))
            })
        });
        sections.collect()
    }

    /// What the handlers make of the context of a wiki's section.
    pub async fn before_wiki_section(&self, section: &str, context: Value) -> Value {
        let asked = payload(&json!({"section": section, "context": context}));
        let answered = self
            .inner
            .dispatch(Phase::BeforeWikiSection, asked, 0)
            .await;
        let answered = answered.ok().and_then(|mut it| it.remove("context"));
        answered.unwrap_or(context)
    }

    /// The pattern rules of the active skills.
    pub fn security_rules(&self) -> Vec<PatternRule> {
        let active = self.inner.active();
        let rules = active.iter().flat_map(|one| &one.contributions.rules);
        rules.cloned().collect()
    }

    /// Has the scanners of the active skills look at files; what one of them cannot do is reported, the others go on.
    pub async fn scan(&self, files: &[ScannedFile]) -> (Vec<Finding>, Vec<String>) {
        let mut findings = Vec::new();
        let mut problems = Vec::new();
        for active in self.inner.active() {
            let Some(backend) = &active.backend else {
                continue;
            };
            for name in &active.contributions.scanners {
                match run_scanner(&**backend, name, files.to_vec()).await {
                    Ok(found) => findings.extend(found),
                    Err(error) => {
                        self.inner.judge(&active, &error).await;
                        problems.push(format!("scanner `{name}` of `{}`: {error}", active.id()));
                    }
                }
            }
        }
        (findings, problems)
    }

    /// Lets the handlers have the findings of an audit; they may add some and take some away.
    pub async fn scan_complete(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let asked = payload(&json!({"findings": findings}));
        let answered = self
            .inner
            .dispatch(Phase::SecurityScanComplete, asked, 0)
            .await;
        let changed = answered.ok().and_then(|mut it| it.remove("findings"));
        changed
            .and_then(|changed| serde_json::from_value(changed).ok())
            .unwrap_or(findings)
    }
}

fn payload(value: &Value) -> Payload {
    value.as_object().cloned().unwrap_or_default()
}

impl Inner {
    fn lives(&self) -> MutexGuard<'_, Lives> {
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, event: RuntimeEvent) {
        self.services.listener.tell(event);
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
    fn change(&self, id: &SkillId, to: State, reason: &str) -> Result<(), InvalidTransition> {
        let from = {
            let mut lives = self.lives();
            let life = lives.of.entry(id.clone()).or_default();
            let from = life.state;
            life.state = from.to(to)?;
            reason.clone_into(&mut life.reason);
            from
        };
        self.tell(RuntimeEvent::Changed {
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
        let (state, reason) = {
            let lives = self.lives();
            let life = lives.of.get(id);
            life.map(|life| (life.state, life.reason.clone()))
                .unwrap_or_default()
        };
        match state {
            State::Active => return Ok(()),
            State::Error => {
                let skill = id.clone();
                return Err(ActivationError::Failed { skill, reason });
            }
            State::Inactive | State::Activating => {}
        }
        self.change(id, State::Activating, "")?;
        match make(self, id, waiting).await {
            Ok(made) => self.settle(id, made).await,
            Err(error) => {
                let next = if error.leaves_inactive() {
                    State::Inactive
                } else {
                    State::Error
                };
                self.change(id, next, &error.to_string())?;
                Err(error)
            }
        }
    }

    async fn settle(&self, id: &SkillId, made: Made) -> Result<(), ActivationError> {
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
            let handler = Handler { skill, backend };
            let told = dispatch(Phase::Activate, greeting, &[handler], 0).await;
            let failed = told.events.into_iter().find_map(|event| match event {
                RuntimeEvent::HookFailed { reason, .. } => Some(reason),
                _ => None,
            });
            if let Some(reason) = failed {
                if let Some(backend) = &active.backend {
                    let _ = backend.unload().await;
                }
                let skill = id.clone();
                let error = ActivationError::Greeting { skill, reason };
                self.change(id, State::Error, &error.to_string())?;
                return Err(error);
            }
        }
        if let Some(life) = self.lives().of.get_mut(id) {
            life.active = Some(active);
        }
        self.change(id, State::Active, "")?;
        Ok(())
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
        let mut reason = reason.to_owned();
        if let Some(backend) = &active.backend {
            if active.contributions.hooks.contains(&Phase::Deactivate) {
                let handler = Handler {
                    skill: id.clone(),
                    backend: Arc::clone(backend),
                };
                let farewell = payload(&json!({"skill": id}));
                let told = dispatch(Phase::Deactivate, farewell, &[handler], 0).await;
                self.report(told.events);
            }
            if let Err(error) = backend.unload().await {
                reason = format!("{reason}; {error}");
            }
        }
        // An active skill may always become inactive.
        let _ = self.change(id, State::Inactive, &reason);
    }

    /// What a failure means for the skill as a whole: a worker that keeps falling over is given up.
    async fn judge(&self, active: &Active, error: &BackendError) {
        if !matches!(error, BackendError::CrashLoop(..)) {
            return;
        }
        let taken = self
            .lives()
            .of
            .get_mut(active.id())
            .and_then(|life| life.active.take());
        if taken.is_some() {
            if let Some(backend) = &active.backend {
                let _ = backend.unload().await;
            }
            let _ = self.change(active.id(), State::Error, &error.to_string());
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
            self.tell(event);
        }
    }

    async fn dispatch(
        &self,
        phase: Phase,
        payload: Payload,
        depth: usize,
    ) -> Result<Payload, Cancelled> {
        let handlers: Vec<Handler> = self
            .active()
            .iter()
            .filter(|active| active.contributions.hooks.contains(&phase))
            .filter_map(|active| {
                Some(Handler {
                    skill: active.id().clone(),
                    backend: active.backend.clone()?,
                })
            })
            .collect();
        if handlers.is_empty() {
            return Ok(payload);
        }
        let done = dispatch(phase, payload, &handlers, depth).await;
        self.report(done.events);
        done.outcome
    }

    async fn before_tool_call(
        &self,
        tool: &str,
        input: Value,
        depth: usize,
    ) -> Result<Value, Cancelled> {
        let asked = payload(&json!({"tool": tool, "input": input}));
        let mut answered = self.dispatch(Phase::BeforeToolCall, asked, depth).await?;
        Ok(answered.remove("input").unwrap_or_default())
    }

    async fn after_tool_result(
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
        let Ok(mut answered) = self.dispatch(Phase::AfterToolResult, asked, depth).await else {
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
        }
    }

    async fn call_tool(
        &self,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<ToolResult, Unknown> {
        let active = self.active();
        let has = |one: &&Arc<Active>| one.contributions.tools.iter().any(|tool| tool.name == name);
        let Some(owner) = active.iter().find(has) else {
            let tools = active.iter().flat_map(|one| &one.contributions.tools);
            return Err(Unknown {
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
        let input = match self.before_tool_call(name, input, depth).await {
            Ok(input) => input,
            Err(cancelled) => {
                return Ok(ToolResult::error(format!(
                    "`{name}` was not called: {cancelled}"
                )));
            }
        };
        let Some(backend) = &owner.backend else {
            return Ok(ToolResult::error(format!("`{name}` has no code")));
        };
        let result = match execute_tool(&**backend, name, input.clone(), depth).await {
            Ok(output) => ToolResult {
                content: output.content,
                is_error: output.is_error,
                more: Payload::new(),
            },
            Err(error) => {
                self.judge(owner, &error).await;
                ToolResult::error(format!("`{name}` of `{}`: {error}", owner.id()))
            }
        };
        Ok(self.after_tool_result(name, &input, result, depth).await)
    }

    async fn run_workflow(
        &self,
        skill: &str,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<Output, Unknown> {
        let active = self.active();
        let owner = active.iter().find(|one| one.id().as_str() == skill);
        let workflows = owner.map_or(&[][..], |one| &one.contributions.workflows);
        let backend = owner.and_then(|one| one.backend.as_ref());
        let (Some(owner), Some(backend), true) =
            (owner, backend, workflows.iter().any(|known| known == name))
        else {
            return Err(Unknown {
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
