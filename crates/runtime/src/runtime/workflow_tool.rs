//! The tool by which a model runs workflows.

use prowess_core::SkillId;
use prowess_sdk::wire::Tool;
use serde_json::{Value, json};

use super::calls::{ToolResult, UnknownContribution};
use super::shared::Shared;
use crate::activation::WORKFLOW_TOOL;

/// The tool for these workflows; none if there are none.
pub(super) fn workflow_tool(workflows: &[(SkillId, String)]) -> Option<Tool> {
    if workflows.is_empty() {
        return None;
    }
    let pairs = workflows.iter();
    let pairs: Vec<String> = pairs.map(|(id, name)| format!("{id} {name}")).collect();
    let mut skills: Vec<&str> = workflows.iter().map(|(id, _)| id.as_str()).collect();
    skills.dedup();
    let mut names: Vec<&str> = workflows.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Some(Tool {
        name: WORKFLOW_TOOL.to_owned(),
        description: format!(
            "Runs a workflow of an active skill. Skills and their workflows: {}.",
            pairs.join("; ")
        ),
        input_schema: json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "enum": skills, "description": "Id of the skill."},
                "workflow": {"type": "string", "enum": names, "description": "Name of the workflow."},
                "input": {"type": "object", "description": "Input of the workflow."},
            },
            "required": ["id", "workflow"],
            "additionalProperties": false,
        }),
    })
}

impl Shared {
    /// Runs a workflow as a tool, with the handlers around tool calls.
    pub(super) async fn call_workflow_tool(
        &self,
        input: Value,
    ) -> Result<ToolResult, UnknownContribution> {
        let changed = match self.before_tool_call(WORKFLOW_TOOL, input, 0).await {
            Ok(changed) => changed,
            Err(cancelled) => {
                let text = format!("`{WORKFLOW_TOOL}` was not called: {cancelled}");
                return Ok(ToolResult::error(text));
            }
        };
        let input = changed.input.clone();
        let text = |name: &str| input.get(name).and_then(Value::as_str);
        let (Some(id), Some(workflow)) = (text("id"), text("workflow")) else {
            let text =
                format!("invalid input of `{WORKFLOW_TOOL}`: `id` and `workflow` are needed");
            return Ok(ToolResult::error(text));
        };
        let given = input.get("input").cloned().unwrap_or_else(|| json!({}));
        let output = self.run_workflow(id, workflow, given, 0).await?;
        let result = ToolResult {
            content: output.content,
            is_error: output.is_error,
            changed: Some(changed).filter(|it| !it.changed_by.is_empty()),
            ..ToolResult::default()
        };
        let result = self.after_tool_result(WORKFLOW_TOOL, &input, result, 0);
        Ok(result.await)
    }
}
