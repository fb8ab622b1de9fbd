//! Skills that live: who is active, and what they have to say.

use std::sync::Arc;

use prowess_core::{SkillId, Skills};
use prowess_scan::PatternRule;
use prowess_sdk::Phase;
use prowess_sdk::wire::{Finding, Output, ScannedFile, Tool};
use prowess_spec::manifest::WikiSection;
use serde_json::{Value, json};

use crate::activate::ActivationError;
use crate::approval::{Approvals, Approver, NoApprover};
use crate::backend::run_scanner;
use crate::code_skill::CodeSkill;
use crate::hooks::{Cancelled, Payload};
use crate::host::Services;
use crate::lives::{Inner, payload};
use crate::prompt::{CutFragment, Fragment, PromptReport, fit};
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
            approver: Arc::new(NoApprover),
        }
    }
}

/// Skills with code, and their lives. A clone is another handle to the same ones.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
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
    /// The input that the tool got, where handlers changed it.
    pub changed: Option<ChangedInput>,
}

/// The input of a call after the handlers saw it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedInput {
    /// What the tool gets.
    pub input: Value,
    /// The skills that changed it, in order; none where it is what was asked for.
    pub changed_by: Vec<SkillId>,
}

impl ToolResult {
    pub(crate) fn error(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: true,
            ..Self::default()
        }
    }
}

/// There is no such tool, workflow or scanner.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no active skill has {what} `{name}`{}", there(known))]
pub struct UnknownContribution {
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
            inner: Arc::new(Inner::new(parts)),
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
        self.inner.state(id)
    }

    /// The active skills, in the order in which they have their say.
    pub fn active(&self) -> Vec<SkillId> {
        let active = self.inner.active();
        active.iter().map(|active| active.id().clone()).collect()
    }

    /// Has a skill become active, after those that it needs. One that is active already stays so.
    ///
    /// Dropped before it is done, it leaves the skill inactive and its worker ended; what it needs and became active on
    /// the way stays so. Who asks for the same meanwhile waits.
    pub async fn activate(&self, id: &SkillId) -> Result<(), ActivationError> {
        let _alone = self.inner.changing.lock().await;
        self.inner.activate(id, &mut Vec::new()).await
    }

    /// Has a skill become inactive; whatever goes wrong, it is, also when this is dropped before it is done. One that is
    /// not active is left alone.
    pub async fn deactivate(&self, id: &SkillId) {
        let _alone = self.inner.changing.lock().await;
        self.inner.deactivate(id, "asked to").await;
    }

    /// Ends every active skill, the last one first. Dropped before it is done, it leaves active what it did not come to.
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
            let now = CodeSkill::read(&self.inner.skills, active.id()).await;
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

    /// The active skill that a tool is of.
    pub fn owner_of(&self, tool: &str) -> Option<SkillId> {
        let active = self.inner.active();
        let mut of = active.iter().filter(|active| {
            let mut tools = active.contributions.tools.iter();
            tools.any(|it| it.name == tool)
        });
        of.next().map(|active| active.id().clone())
    }

    /// Calls a tool of an active skill, with the handlers before and after it.
    pub async fn call_tool(
        &self,
        name: &str,
        input: Value,
    ) -> Result<ToolResult, UnknownContribution> {
        self.inner.call_tool(name, input, 0).await
    }

    /// Asks the handlers about a call of a tool, whosever it is: the input to call it with.
    pub async fn before_tool_call(
        &self,
        tool: &str,
        input: Value,
    ) -> Result<ChangedInput, Cancelled> {
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
    ) -> Result<Output, UnknownContribution> {
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
        report.cut.extend(cut_before.map(|one| CutFragment {
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

    /// Lets the handlers have the findings of an audit. They add some; no skill takes away what was found.
    pub async fn scan_complete(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let asked = payload(&json!({"findings": findings}));
        let answered = self
            .inner
            .dispatch(Phase::SecurityScanComplete, asked, 0)
            .await;
        let changed = answered.ok().and_then(|mut it| it.remove("findings"));
        let changed: Option<Vec<Finding>> =
            changed.and_then(|changed| serde_json::from_value(changed).ok());
        for finding in changed.unwrap_or_default() {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        findings
    }
}
