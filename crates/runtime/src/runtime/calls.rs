//! Calls of tools and workflows, with the hooks around them.

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_sdk::Phase;
use prowess_sdk::wire::Output;
use serde_json::{Value, json};

use super::shared::{Shared, payload};
use crate::backend::{execute_tool, run_workflow};
use crate::hooks::{Cancelled, Payload};
use crate::host::Invoke;
use crate::limits::DEPTH;

/// The result of a tool after the hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The text.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Values that handlers added.
    pub more: Payload,
    /// The input of the call, if handlers changed it.
    pub changed: Option<ChangedInput>,
}

/// The input of a call after the hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedInput {
    /// The input for the tool.
    pub input: Value,
    /// The skills that changed it, in order; empty if it is the original input.
    pub changed_by: Vec<SkillId>,
}

impl ToolResult {
    pub(super) fn error(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            is_error: true,
            ..Self::default()
        }
    }
}

/// No active skill contributes this tool or workflow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} `{name}`{}", list(known))]
pub struct UnknownContribution {
    /// The kind of contribution.
    pub kind: &'static str,
    /// The unknown name.
    pub name: String,
    /// Known names.
    pub known: Vec<String>,
}

fn list(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!("; known: {}", known.join(", ")),
    }
}

impl Shared {
    pub(super) async fn before_tool_call(
        &self,
        tool: &str,
        input: Value,
        depth: usize,
    ) -> Result<ChangedInput, Cancelled> {
        let asked = payload(&json!({"tool": tool, "input": input}));
        let call = self.call_context(tool);
        let hooks = self.run_call_hooks(Phase::BeforeToolCall, asked, Some(&call), depth);
        let (mut answered, changed_by) = hooks.await?;
        Ok(ChangedInput {
            input: answered.remove("input").unwrap_or_default(),
            changed_by,
        })
    }

    pub(super) async fn after_tool_result(
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
        let hooks = self.run_call_hooks(Phase::AfterToolResult, asked, Some(&call), depth);
        let Ok((mut answered, _)) = hooks.await else {
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

    pub(super) async fn call_tool(
        &self,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<ToolResult, UnknownContribution> {
        let Some(owner) = self.table.tool_owner(name) else {
            let active = self.table.active();
            let tools = active.iter().flat_map(|one| &one.contributions.tools);
            return Err(UnknownContribution {
                kind: "tool",
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
        let input = match &changed.input {
            Value::Null => json!({}),
            input => input.clone(),
        };
        if let Some(problem) = owner.contributions.input_problem(name, &input) {
            return Ok(ToolResult::error(format!(
                "invalid input of `{name}`: {problem}"
            )));
        }
        // As if the skill that changed the input had called the tool itself.
        let depth = depth + usize::from(!changed.changed_by.is_empty());
        let mut result = match execute_tool(&**backend, name, input.clone(), depth).await {
            Ok(output) => ToolResult {
                content: output.content,
                is_error: output.is_error,
                ..ToolResult::default()
            },
            Err(error) => {
                self.check_crash_loop(&owner, &error).await;
                ToolResult::error(format!("`{name}` of `{}`: {error}", owner.id()))
            }
        };
        result.changed = Some(changed).filter(|it| !it.changed_by.is_empty());
        Ok(self.after_tool_result(name, &input, result, depth).await)
    }

    pub(super) async fn run_workflow(
        &self,
        skill: &str,
        name: &str,
        input: Value,
        depth: usize,
    ) -> Result<Output, UnknownContribution> {
        let owner = self.table.get(skill);
        let owner = owner.as_deref();
        let workflows = owner.map_or(&[][..], |one| &one.contributions.workflows);
        let backend = owner.and_then(|one| one.backend.as_ref());
        let (Some(owner), Some(backend), true) =
            (owner, backend, workflows.iter().any(|known| known == name))
        else {
            return Err(UnknownContribution {
                kind: "workflow",
                name: format!("{skill}/{name}"),
                known: workflows.to_vec(),
            });
        };
        match run_workflow(&**backend, name, input, depth).await {
            Ok(output) => Ok(output),
            Err(error) => {
                self.check_crash_loop(owner, &error).await;
                Ok(Output {
                    content: error.to_string(),
                    is_error: true,
                })
            }
        }
    }
}

#[async_trait]
impl Invoke for Shared {
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
        let Some(owner) = self.table.get(skill) else {
            return Err(format!("`{skill}` is not active"));
        };
        if owner.contributions.has_tool(name) {
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
