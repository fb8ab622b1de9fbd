//! The tools of a round, and their calls.

use std::time::Instant;

use prowess_core::{
    Event, Operation, Session, Shape, SkillId, ToolDefinition, ToolOutcome, provider_name,
    without_own_tags,
};
use prowess_runtime::{ChangedInput, Runtime, ToolResult};
use prowess_spec::nearest;
use serde_json::{Value, json};

use crate::fit::fitted;
use crate::history::Replied;
use crate::limits::{EVENT_RESULT_BYTES, FILE_PART_BYTES, TOOL_RESULT_BYTES};
use crate::provider::{ToolCall, ToolReply};
use crate::runtime_handle::{EventSink, RuntimeHandle};
use crate::wire::{AgentEvent, By};

/// Characters of a tool's name that every provider takes.
const NAME_CHARS: usize = 64;

/// The tools of a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    /// The definitions for the model.
    pub(crate) definitions: Vec<ToolDefinition>,
    owners: Vec<Owner>,
    /// Tools that the active skills do not allow: not offered, and refused if they are called anyway.
    hidden: Vec<(ToolDefinition, Owner)>,
}

/// Whose a tool is.
#[derive(Clone, Debug)]
enum Owner {
    /// The engine's.
    Engine(Operation),
    /// An active skill's, by the name that it gave.
    CodeSkill(String),
}

impl Tools {
    /// Everything that the model may call now. Of two tools with one name, the engine's counts, then the first.
    pub(crate) async fn collect(session: &Session, code_skills: Option<&RuntimeHandle>) -> Self {
        let mut tools = Self::default();
        let dialect = &session.skills().settings().dialect;
        for mut definition in session.tools() {
            let Some(tool) = dialect.tool(&definition.name) else {
                continue;
            };
            definition.name = wire_name(&definition.name);
            tools.add(definition, Owner::Engine(tool.operation));
        }
        let Some(code_skills) = code_skills else {
            return tools;
        };
        let theirs = code_skills.runtime.tools_for_model();
        let names: Vec<&str> = theirs.iter().map(|tool| tool.name.as_str()).collect();
        let visible = session.visible_tools(&names).await;
        for tool in &theirs {
            let definition = ToolDefinition {
                name: wire_name(&tool.name),
                description: tool.description.clone(),
                input_schema: tool.input_schema.clone(),
            };
            let owner = Owner::CodeSkill(tool.name.clone());
            if visible.contains(&tool.name.as_str()) {
                tools.add(definition, owner);
            } else {
                tools.hidden.push((definition, owner));
            }
        }
        tools
    }

    fn add(&mut self, definition: ToolDefinition, owner: Owner) {
        if self.find(&definition.name).is_none() {
            self.definitions.push(definition);
            self.owners.push(owner);
        }
    }

    fn find(&self, name: &str) -> Option<(&ToolDefinition, &Owner)> {
        let hidden = self
            .hidden
            .iter()
            .map(|(definition, owner)| (definition, owner));
        let mut all = self.definitions.iter().zip(&self.owners).chain(hidden);
        all.find(|(definition, _)| definition.name == name)
    }
}

/// A name that every provider takes.
fn wire_name(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = provider_name(name);
    plain
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .take(NAME_CHARS)
        .collect()
}

/// As much of a result as an event has.
fn start(content: &str) -> String {
    let end = content.floor_char_boundary(EVENT_RESULT_BYTES);
    content.get(..end).unwrap_or_default().to_owned()
}

/// The context of calls.
pub(crate) struct Caller<'a> {
    pub(crate) tools: &'a Tools,
    pub(crate) session: &'a Session,
    pub(crate) code_skills: Option<&'a RuntimeHandle>,
    pub(crate) emit: &'a EventSink<'a>,
}

/// The result of a call.
pub(crate) struct Called {
    pub(crate) replied: Replied,
    /// A skill that became active by it, and bytes of its block.
    pub(crate) loaded: Option<(SkillId, usize)>,
    /// A skill of which it read a file.
    pub(crate) read: Option<SkillId>,
}

/// A reply before it is cut to size.
struct Raw {
    content: String,
    is_error: bool,
    again: bool,
    loaded: Option<(SkillId, usize)>,
    truncated: bool,
}

impl Raw {
    fn error(value: &Value) -> Self {
        Self {
            content: value.to_string(),
            is_error: true,
            again: false,
            loaded: None,
            truncated: false,
        }
    }

    fn failed(code: &str, message: &str, near: &[&str]) -> Self {
        let mut error = json!({"code": code, "message": message});
        if let (Some(object), false) = (error.as_object_mut(), near.is_empty()) {
            object.insert("nearest".to_owned(), json!(near));
        }
        Self::error(&json!({"error": error}))
    }
}

impl Caller<'_> {
    /// Calls a tool. Whatever happens is a reply. `visible` are skills whose instructions are in the context of the model.
    pub(crate) async fn call(&self, call: &ToolCall, visible: &[SkillId]) -> Called {
        let found = self.tools.find(&call.tool);
        let skill = self.skill_of(call, found.map(|(_, owner)| owner));
        (self.emit)(AgentEvent::ToolStarted {
            call: call.id.clone(),
            tool: call.tool.clone(),
            skill: skill.clone(),
            arguments: call.arguments.clone(),
        });
        let began = Instant::now();
        let raw = match found {
            None => self.unknown(&call.tool),
            Some(_) if !call.arguments.is_object() => {
                Raw::failed("invalid-arguments", &no_object(&call.arguments), &[])
            }
            Some((_, Owner::Engine(operation))) => {
                self.engine(call, *operation, skill.as_ref(), visible).await
            }
            Some((_, Owner::CodeSkill(name))) => self.code_skill_tool(call, name).await,
        };
        let (content, cut) = fitted(raw.content);
        if let Some(code_skills) = self.code_skills {
            code_skills.emit_events(self.emit);
        }
        // The name of an unknown tool is whatever the model wrote.
        tracing::info!(
            tool = found.map(|(definition, _)| definition.name.as_str()),
            skill = skill.as_ref().map(SkillId::as_str),
            is_error = raw.is_error,
            duration_ms = began.elapsed().as_secs_f64() * 1e3,
            "tool was called",
        );
        (self.emit)(AgentEvent::ToolFinished {
            call: call.id.clone(),
            tool: call.tool.clone(),
            skill: skill.clone(),
            is_error: raw.is_error,
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            bytes: content.len(),
            truncated: cut || raw.truncated,
            content: start(&content),
        });
        let is_read = matches!(found, Some((_, Owner::Engine(Operation::Read))));
        Called {
            read: skill.filter(|_| is_read && !raw.is_error),
            replied: Replied {
                skill: raw.loaded.as_ref().map(|(id, _)| id.clone()),
                again: raw.again && !cut,
                reply: ToolReply {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    content,
                    is_error: raw.is_error,
                },
            },
            loaded: raw.loaded,
        }
    }

    /// The skill that a call will load, unless it fails.
    pub(crate) fn loads(&self, call: &ToolCall) -> Option<SkillId> {
        let (_, owner) = self.tools.find(&call.tool)?;
        let Owner::Engine(Operation::Load) = owner else {
            return None;
        };
        let id = self.skill_of(call, Some(owner))?;
        let catalog = self.session.skills().catalog();
        catalog.get(id.as_str()).is_some().then_some(id)
    }

    fn unknown(&self, name: &str) -> Raw {
        let names = self.tools.definitions.iter().map(|tool| tool.name.as_str());
        let near = nearest(name, names);
        let shown: String = name.chars().take(NAME_CHARS).collect();
        let message = format!("unknown tool `{}`", shown.escape_debug());
        Raw::failed("unknown-tool", &message, &near)
    }

    /// The skill that a call of the engine's tools is about, or whose tool it is.
    fn skill_of(&self, call: &ToolCall, owner: Option<&Owner>) -> Option<SkillId> {
        match owner? {
            Owner::Engine(Operation::Load | Operation::Read | Operation::Run) => {}
            Owner::Engine(_) => return None,
            Owner::CodeSkill(name) => return self.runtime()?.owner_of(name),
        }
        let spec = self.session.skills().settings().dialect.tool(&call.tool)?;
        let text = call.arguments.get(spec.id)?.as_str()?.trim();
        text.strip_prefix('/').unwrap_or(text).parse().ok()
    }

    async fn engine(
        &self,
        call: &ToolCall,
        operation: Operation,
        skill: Option<&SkillId>,
        visible: &[SkillId],
    ) -> Raw {
        let input = match self.before(call, &call.tool).await {
            Ok(input) => input,
            Err(raw) => return raw,
        };
        let shape = self.session.skills().settings().dialect.shape;
        let plain_load =
            operation == Operation::Load && input.get("arguments").is_none_or(Value::is_null);
        if let Some(id) = skill
            && plain_load
            && shape == Shape::Prowess
            && visible.contains(id)
        {
            (self.emit)(AgentEvent::SkillAlreadyActive { id: id.clone() });
            let content = json!({
                "id": id,
                "name": id.name(),
                "already_active": true,
                "message": "The skill is already active; its instructions are in this conversation.",
            });
            return Raw {
                is_error: false,
                ..Raw::error(&content)
            };
        }
        // A call that is cancelled activates nothing.
        let own = self.session.fork();
        let bytes = result_bytes(&own, &call.tool, &input);
        let ToolOutcome { result, events } = own.call_within(&call.tool, &input, bytes).await;
        let mut loaded = None;
        for event in events {
            if let Event::Activated {
                id,
                bytes,
                dropped_bytes,
            } = &event
            {
                loaded = Some((id.clone(), *bytes));
                self.session.take_arguments(&own, id);
                if *dropped_bytes > 0 {
                    let text = format!("skill {id} is too long: {dropped_bytes} bytes were cut");
                    (self.emit)(AgentEvent::Notice { text });
                }
            }
            (self.emit)(AgentEvent::of(event, By::Model));
        }
        let truncated = result.truncated;
        let before = text_of(result.content);
        let is_own_file = operation == Operation::Read
            && input
                .get("path")
                .and_then(Value::as_str)
                .is_some_and(|path| path.trim_start_matches("./") == prowess_spec::SKILL_FILE);
        let gives_instructions = loaded.is_some() || (is_own_file && !result.is_error);
        let Some(runtime) = self.runtime() else {
            return Raw {
                content: before,
                is_error: result.is_error,
                again: gives_instructions,
                loaded,
                truncated,
            };
        };
        let result = ToolResult {
            content: before.clone(),
            is_error: result.is_error,
            ..ToolResult::default()
        };
        let after = runtime.after_tool_result(&call.tool, &input, result).await;
        Raw {
            again: gives_instructions && after.content == before,
            content: after.content,
            is_error: after.is_error,
            loaded,
            truncated,
        }
    }

    fn runtime(&self) -> Option<&Runtime> {
        self.code_skills.map(|code_skills| &code_skills.runtime)
    }

    /// The input after the handlers, or the reason to cancel the call.
    async fn before(&self, call: &ToolCall, tool: &str) -> Result<Value, Raw> {
        let Some(runtime) = self.runtime() else {
            return Ok(call.arguments.clone());
        };
        let asked = runtime.before_tool_call(tool, call.arguments.clone()).await;
        let asked = asked.map(|changed| {
            self.emit_changed_input(call, &changed);
            changed.input
        });
        asked.map_err(|cancelled| {
            let message = format!("the call of `{tool}` was cancelled: {cancelled}");
            (self.emit)(AgentEvent::ToolCancelled {
                call: call.id.clone(),
                tool: tool.to_owned(),
                skill: cancelled.skill,
                reason: cancelled.reason,
            });
            Raw::failed("cancelled", &message, &[])
        })
    }

    /// Shows what a call really gets, where skills changed it.
    fn emit_changed_input(&self, call: &ToolCall, changed: &ChangedInput) {
        if !changed.changed_by.is_empty() {
            (self.emit)(AgentEvent::ToolInputChanged {
                call: call.id.clone(),
                tool: call.tool.clone(),
                changed_by: changed.changed_by.clone(),
                arguments: changed.input.clone(),
            });
        }
    }

    async fn code_skill_tool(&self, call: &ToolCall, name: &str) -> Raw {
        let permitted = self.session.permits(name, argument(&call.arguments)).await;
        if let Err(refusal) = permitted {
            (self.emit)(AgentEvent::of(refusal.event, By::Model));
            return Raw::failed(refusal.error.code.id(), &refusal.error.message, &[]);
        }
        let Some(runtime) = self.runtime() else {
            return self.unknown(&call.tool);
        };
        // The runtime calls the handlers itself, before and after.
        match runtime.call_tool(name, call.arguments.clone()).await {
            Ok(result) => {
                if let Some(changed) = &result.changed {
                    self.emit_changed_input(call, changed);
                }
                Raw {
                    content: without_own_tags(&result.content).into_owned(),
                    is_error: result.is_error,
                    again: false,
                    loaded: None,
                    truncated: false,
                }
            }
            // The skill became inactive meanwhile.
            Err(unknown) => Raw::failed("unknown-tool", &unknown.to_string(), &[]),
        }
    }
}

/// Repeats a call of an engine tool for a result that was not saved.
pub(crate) async fn again(
    session: &Session,
    call: &ToolCall,
) -> (String, bool, Option<(SkillId, usize)>) {
    let bytes = result_bytes(session, &call.tool, &call.arguments);
    let ToolOutcome { result, events } = session
        .call_within(&call.tool, &call.arguments, bytes)
        .await;
    let loaded = events.into_iter().find_map(|event| match event {
        Event::Activated { id, bytes, .. } => Some((id, bytes)),
        _ => None,
    });
    let (content, _) = fitted(text_of(result.content));
    (content, result.is_error, loaded)
}

fn text_of(content: Value) -> String {
    match content {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// How long the result of a call may be: a file comes in parts that leave room in the context, unless the dialect has
/// whole files only.
fn result_bytes(session: &Session, tool: &str, input: &Value) -> usize {
    let dialect = &session.skills().settings().dialect;
    let path = dialect.tool(tool).and_then(|spec| spec.path);
    let reads = path.is_some_and(|path| input.get(path).is_some());
    if reads && dialect.shape != Shape::Envelope {
        FILE_PART_BYTES
    } else {
        TOOL_RESULT_BYTES
    }
}

/// That arguments are not an object.
fn no_object(arguments: &Value) -> String {
    let wrong = "invalid arguments: expected a JSON object";
    match arguments {
        Value::String(text) => {
            let shown: String = text.chars().take(200).collect();
            format!("{wrong}, got `{}`", shown.escape_debug())
        }
        _ => wrong.to_owned(),
    }
}

/// The text that argument patterns of `allowed-tools` match.
fn argument(arguments: &Value) -> Option<&str> {
    let object = arguments.as_object()?;
    let named = ["command", "cmd", "path", "file_path", "url"];
    let named = named.iter().find_map(|name| object.get(*name)?.as_str());
    let mut texts = object.values().filter_map(Value::as_str);
    named.or_else(|| texts.next().filter(|_| texts.next().is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_are_accepted_by_every_provider() {
        for (name, expected) in [
            ("skills.activate", "skills_activate"),
            ("git status", "git_status"),
            ("ä-b_c1", "_-b_c1"),
        ] {
            assert_eq!(wire_name(name), expected);
        }
        assert_eq!(wire_name(&"x".repeat(100)).len(), NAME_CHARS);
    }

    #[test]
    fn argument_for_patterns_is_found() {
        assert_eq!(
            argument(&json!({"command": "git log", "cwd": "/"})),
            Some("git log")
        );
        assert_eq!(argument(&json!({"query": "x", "n": 1})), Some("x"));
        assert_eq!(argument(&json!({"a": "x", "b": "y"})), None);
        assert_eq!(argument(&json!("git")), None);
    }
}
