//! Workflows that the user runs: `/ID WORKFLOW [input]`.

use prowess_core::{Session, SkillId, reference};
use prowess_runtime::{CodeSkill, WORKFLOW_TOOL};
use prowess_spec::manifest::SkillType;
use serde_json::{Value, json};

use crate::provider::ToolCall;
use crate::runtime_handle::{EventSink, RuntimeHandle};
use crate::tools::{Caller, Tools};
use crate::wire::{AgentEvent, WorkflowRun};

/// A code skill with workflows that a message names.
pub(crate) struct NamedSkill {
    pub(crate) id: SkillId,
    /// Why its code is not active.
    pub(crate) inactive: Option<String>,
    /// The workflow that the message names, and its input.
    pub(crate) workflow: Option<(String, Value)>,
}

/// Activates the skill that a message names, if its next word may be a workflow: which ones there are is known only
/// then.
pub(crate) async fn named_skill(
    text: &str,
    session: &Session,
    code_skills: &RuntimeHandle,
    known: &mut Vec<AgentEvent>,
    emit: &EventSink<'_>,
) -> Option<NamedSkill> {
    let found = reference(text)?;
    let (name, input) = match found.rest.split_once(char::is_whitespace) {
        Some((name, input)) => (name, input.trim()),
        None => (found.rest, ""),
    };
    let catalog = session.skills().catalog();
    let skill = catalog.get(found.id.as_str())?;
    if name.is_empty() || !skill.descriptor.invocation.by_user() {
        return None;
    }
    let skill = CodeSkill::read(session.skills(), &found.id).await.ok()?;
    if !skill.manifest.types.contains(&SkillType::Workflow) {
        return None;
    }
    let id = found.id;
    let inactive = code_skills.activate_for_user(&id, known, emit).await;
    let workflows = code_skills.runtime.workflows();
    let is_workflow = workflows.contains(&(id.clone(), name.to_owned()));
    Some(NamedSkill {
        workflow: is_workflow.then(|| (name.to_owned(), input_of(input))),
        id,
        inactive,
    })
}

/// The input of a workflow: a JSON object as it is, anything else as text.
fn input_of(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => object,
        _ if text.is_empty() => json!({}),
        _ => json!({"text": text}),
    }
}

/// Runs a workflow as a tool call of the model would: with the same approvals, handlers and events.
pub(crate) async fn run_workflow(
    skill: SkillId,
    (workflow, input): (String, Value),
    session: &Session,
    code_skills: &RuntimeHandle,
    emit: &EventSink<'_>,
) -> WorkflowRun {
    let caller = Caller {
        tools: &Tools::collect(session, Some(code_skills)).await,
        session,
        code_skills: Some(code_skills),
        emit,
    };
    let call = ToolCall {
        id: "workflow".to_owned(),
        tool: WORKFLOW_TOOL.to_owned(),
        arguments: json!({"id": skill, "workflow": workflow, "input": input}),
    };
    let reply = caller.call(&call, &[]).await.replied.reply;
    WorkflowRun {
        skill,
        workflow,
        input,
        content: reply.content,
        is_error: reply.is_error,
    }
}

/// The result of a workflow, for the model.
pub(crate) fn result_text(run: &WorkflowRun) -> String {
    let ended = if run.is_error {
        "It failed"
    } else {
        "Its result"
    };
    format!(
        "I ran the workflow `{}` of the skill `{}` with the input {}. {ended}:\n\n{}",
        run.workflow, run.skill, run.input, run.content
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_an_object_or_text() {
        for (text, expected) in [
            ("", json!({})),
            (r#"{"title": "a"}"#, json!({"title": "a"})),
            ("some words", json!({"text": "some words"})),
            ("[1]", json!({"text": "[1]"})),
            ("{broken", json!({"text": "{broken"})),
        ] {
            assert_eq!(input_of(text), expected, "{text}");
        }
    }
}
