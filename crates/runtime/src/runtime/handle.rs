//! The handle to a runtime.

use std::sync::Arc;

use prowess_core::{SkillId, Skills};
use prowess_sdk::wire::{Output, Tool};
use serde_json::Value;

use super::calls::{ChangedInput, ToolResult, UnknownContribution};
use super::shared::Shared;
use super::workflow_tool::workflow_tool;
use crate::activation::{
    ActivationError, Parts, WORKFLOW_TOOL, activate, change_state, deactivate,
};
use crate::activation_state::{ActivationState, InvalidTransition};
use crate::approval::Approvals;
use crate::code_skill::CodeSkill;
use crate::hooks::Cancelled;

/// Code skills and their states. Clones are handles to the same runtime.
#[derive(Clone)]
pub struct Runtime {
    pub(super) shared: Arc<Shared>,
}

impl Runtime {
    /// Creates a runtime in which no skill is active.
    pub fn new(parts: Parts) -> Self {
        Self {
            shared: Shared::new(parts),
        }
    }

    /// The skills.
    pub fn skills(&self) -> &Skills {
        &self.shared.context.skills
    }

    /// The approvals of the user.
    pub fn approvals(&self) -> &Approvals {
        &self.shared.context.approvals
    }

    /// The state of a skill, and the reason for it.
    pub fn state(&self, id: &SkillId) -> (ActivationState, String) {
        self.shared.table.state(id)
    }

    /// The active skills, in the order of their hooks.
    pub fn active(&self) -> Vec<SkillId> {
        let active = self.shared.table.active();
        active.iter().map(|active| active.id().clone()).collect()
    }

    /// Activates a skill and its dependencies; an active skill stays active. Concurrent calls wait for each other.
    ///
    /// If the future is dropped, the skill is inactive and its worker ends; dependencies that became active stay active.
    pub async fn activate(&self, id: &SkillId) -> Result<(), ActivationError> {
        let Shared {
            context,
            table,
            changing,
        } = &*self.shared;
        let _changing = changing.lock().await;
        activate(context, table, id, &mut Vec::new()).await
    }

    /// Whether a skill can be activated without asking for approval; also if it has no code.
    pub async fn is_approved(&self, id: &SkillId) -> bool {
        match CodeSkill::read(self.skills(), id).await {
            Ok(skill) => self.approvals().undecided(&skill).is_empty(),
            Err(_) => true,
        }
    }

    /// Deactivates a skill, whatever its code does; a skill that is not active is left alone.
    ///
    /// The skill is inactive even if the future is dropped.
    pub async fn deactivate(&self, id: &SkillId) {
        let _changing = self.shared.changing.lock().await;
        self.deactivate_locked(id, "deactivated").await;
    }

    async fn deactivate_locked(&self, id: &SkillId, reason: &str) {
        deactivate(&self.shared.context, &self.shared.table, id, reason).await;
    }

    /// Deactivates every skill in reverse order. If the future is dropped, the remaining skills stay active.
    pub async fn shut_down(&self) {
        let _changing = self.shared.changing.lock().await;
        for active in self.shared.table.active().iter().rev() {
            self.deactivate_locked(active.id(), "shutdown").await;
        }
    }

    /// Lets a failed skill be activated again.
    pub fn reset(&self, id: &SkillId) -> Result<(), InvalidTransition> {
        match self.state(id).0 {
            ActivationState::Error => {
                let listener = &self.shared.context.services.listener;
                change_state(
                    &self.shared.table,
                    listener,
                    id,
                    ActivationState::Inactive,
                    "reset",
                )
            }
            from => Err(InvalidTransition {
                from,
                to: ActivationState::Inactive,
            }),
        }
    }

    /// Begins a turn: resets the limits per turn, and deactivates skills whose files changed.
    pub async fn begin_turn(&self) {
        let _changing = self.shared.changing.lock().await;
        for active in self.shared.table.active() {
            active.gate.begin_turn();
            let now = CodeSkill::read(self.skills(), active.id()).await;
            let reason = match now {
                Ok(now) if now.content.subject() == active.skill.content.subject() => continue,
                Ok(_) => "its files changed".to_owned(),
                Err(error) => error.to_string(),
            };
            self.deactivate_locked(active.id(), &reason).await;
        }
    }

    /// The tools of active skills.
    pub fn tools(&self) -> Vec<Tool> {
        let active = self.shared.table.active();
        let tools = active.iter().flat_map(|active| &active.contributions.tools);
        tools.cloned().collect()
    }

    /// The tools for a model: those of active skills, and [`WORKFLOW_TOOL`] if they have workflows.
    pub fn tools_for_model(&self) -> Vec<Tool> {
        let mut tools = self.tools();
        tools.extend(workflow_tool(&self.workflows()));
        tools
    }

    /// The active skill that contributes a tool.
    pub fn owner_of(&self, tool: &str) -> Option<SkillId> {
        let owner = self.shared.table.tool_owner(tool)?;
        Some(owner.id().clone())
    }

    /// Calls a tool of an active skill, with its hooks.
    pub async fn call_tool(
        &self,
        name: &str,
        input: Value,
    ) -> Result<ToolResult, UnknownContribution> {
        if name == WORKFLOW_TOOL {
            return self.shared.call_workflow_tool(input).await;
        }
        self.shared.call_tool(name, input, 0).await
    }

    /// Runs the hooks before a tool call and returns the input to call it with.
    pub async fn before_tool_call(
        &self,
        tool: &str,
        input: Value,
    ) -> Result<ChangedInput, Cancelled> {
        self.shared.before_tool_call(tool, input, 0).await
    }

    /// Runs the hooks after a tool call and returns the result to use.
    pub async fn after_tool_result(
        &self,
        tool: &str,
        input: &Value,
        result: ToolResult,
    ) -> ToolResult {
        self.shared.after_tool_result(tool, input, result, 0).await
    }

    /// Runs a workflow of an active skill.
    pub async fn run_workflow(
        &self,
        skill: &SkillId,
        name: &str,
        input: Value,
    ) -> Result<Output, UnknownContribution> {
        let output = self.shared.run_workflow(skill.as_str(), name, input, 0);
        output.await
    }

    /// The workflows of active skills.
    pub fn workflows(&self) -> Vec<(SkillId, String)> {
        let active = self.shared.table.active();
        let workflows = active.iter().flat_map(|active| {
            let names = active.contributions.workflows.iter();
            names.map(|name| (active.id().clone(), name.clone()))
        });
        workflows.collect()
    }
}
