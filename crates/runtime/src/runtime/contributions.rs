//! What active skills contribute besides tools: prompts, wiki sections, security rules and scanners.

use prowess_core::SkillId;
use prowess_scan::PatternRule;
use prowess_sdk::Phase;
use prowess_sdk::wire::{Finding, ScannedFile};
use prowess_spec::manifest::WikiSection;
use serde_json::{Value, json};

use super::handle::Runtime;
use super::shared::payload;
use crate::backend::run_scanner;
use crate::hooks::{Cancelled, Payload};
use crate::prompt::{CutFragment, Fragment, PromptReport, fit};

impl Runtime {
    /// Runs the hooks for the start of a conversation.
    pub async fn conversation_starts(&self, user_message: &str) {
        let message = json!({"user_message": user_message});
        self.transform(Phase::ConversationStart, &message, "").await;
    }

    /// Runs hooks whose failure changes nothing, and takes one value from the result.
    async fn transform(&self, phase: Phase, data: &Value, key: &str) -> Option<Value> {
        let answered = self.shared.run_hooks(phase, payload(data), 0).await;
        answered.ok()?.remove(key)
    }

    /// The fragments that active skills and their handlers add to the system prompt, within a budget of tokens.
    pub async fn prompt(
        &self,
        system_prompt: &str,
        budget: usize,
    ) -> (Vec<Fragment>, PromptReport) {
        let active = self.shared.table.active();
        let own = active.iter().map(|active| &active.contributions);
        let mut fragments: Vec<Fragment> = own.filter_map(|own| own.fragment.clone()).collect();
        let texts: Vec<&str> = fragments.iter().map(|it| it.text.as_str()).collect();
        let data = json!({"system_prompt": system_prompt, "fragments": texts, "budget": budget});
        let all = self.transform(Phase::BeforePromptBuild, &data, "fragments");
        let all = all.await.unwrap_or_default();
        let all = all.as_array().into_iter().flatten();
        let added = all.skip(fragments.len()).filter_map(Value::as_str);
        let added: Vec<Fragment> = added
            .map(|text| Fragment {
                skill: None,
                text: text.to_owned(),
            })
            .collect();
        fragments.extend(added);
        let (fitting, mut report) = fit(fragments, budget);
        let cut_before = active
            .iter()
            .filter(|one| one.contributions.fragment_lost > 0);
        report.cut.extend(cut_before.map(|one| CutFragment {
            skill: Some(one.id().clone()),
            tokens: one.contributions.fragment_lost,
        }));
        (fitting, report)
    }

    /// Whether a skill is active and has a handler for a phase.
    pub fn has_handler(&self, skill: &SkillId, phase: Phase) -> bool {
        let active = self.shared.table.get(skill.as_str());
        active.is_some_and(|active| active.contributions.hooks.contains(&phase))
    }

    /// Runs the handlers of a phase over any data, for tests of skills. A phase of a tool call takes the tool from it.
    pub async fn run_handlers(&self, phase: Phase, data: Payload) -> Result<Payload, Cancelled> {
        let is_call = matches!(phase, Phase::BeforeToolCall | Phase::AfterToolResult);
        let call = is_call.then(|| {
            let tool = data.get("tool").and_then(Value::as_str);
            self.shared.call_context(tool.unwrap_or_default())
        });
        let done = self.shared.run_call_hooks(phase, data, call.as_ref(), 0);
        done.await.map(|(payload, _)| payload)
    }

    /// Whether active skills may change a response.
    pub fn changes_answers(&self) -> bool {
        let active = self.shared.table.active();
        let mut backends = active.iter().filter_map(|one| one.backend.as_ref());
        backends.any(|it| it.registration().hooks.contains(&Phase::AfterResponse))
    }

    /// Applies the transforms of active skills to the model's response.
    pub async fn after_response(&self, response: &str) -> String {
        let data = json!({"response": response});
        match self
            .transform(Phase::AfterResponse, &data, "response")
            .await
        {
            Some(Value::String(text)) => text,
            _ => response.to_owned(),
        }
    }

    /// The wiki sections of active skills, with their texts.
    pub fn wiki_sections(&self) -> Vec<(SkillId, WikiSection, String)> {
        let active = self.shared.table.active();
        let sections = active.iter().flat_map(|one| {
            one.contributions.wiki.iter().filter_map(|section| {
                let text = one.skill.content.file(&section.file)?;
                let text = String::from_utf8_lossy(text).into_owned();
                Some((one.id().clone(), section.clone(), text))
            })
        });
        sections.collect()
    }

    /// Applies the hooks to the context of a wiki section.
    pub async fn before_wiki_section(&self, section: &str, context: Value) -> Value {
        let data = json!({"section": section, "context": context});
        let changed = self.transform(Phase::BeforeWikiSection, &data, "context");
        changed.await.unwrap_or(context)
    }

    /// The pattern rules of active skills.
    pub fn security_rules(&self) -> Vec<PatternRule> {
        let active = self.shared.table.active();
        let rules = active.iter().flat_map(|one| &one.contributions.rules);
        rules.cloned().collect()
    }

    /// Runs the scanners of active skills; returns findings, and the failures of single scanners.
    pub async fn scan(&self, files: &[ScannedFile]) -> (Vec<Finding>, Vec<String>) {
        let mut findings = Vec::new();
        let mut problems = Vec::new();
        for active in self.shared.table.active() {
            let Some(backend) = &active.backend else {
                continue;
            };
            for name in &active.contributions.scanners {
                match run_scanner(&**backend, name, files.to_vec()).await {
                    Ok(found) => findings.extend(found),
                    Err(error) => {
                        self.shared.check_crash_loop(&active, &error).await;
                        problems.push(format!("scanner `{name}` of `{}`: {error}", active.id()));
                    }
                }
            }
        }
        (findings, problems)
    }

    /// Runs the hooks after an audit. They can add findings and never remove any.
    pub async fn scan_complete(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let data = json!({"findings": findings});
        let changed = self.transform(Phase::SecurityScanComplete, &data, "findings");
        let changed = changed.await.unwrap_or_default();
        let changed: Vec<Finding> = serde_json::from_value(changed).unwrap_or_default();
        for finding in changed {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        findings
    }
}
