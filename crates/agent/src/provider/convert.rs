//! Our messages as genai takes them.

use genai::chat::{
    CacheControl, ChatMessage, ChatRequest, ContentPart, MessageContent, Tool,
    ToolCall as TheirCall, ToolResponse,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::types::{Message, Request, ToolCall};

/// The text for an empty answer: some providers reject empty messages.
const NOTHING: &str = "(no answer)";

/// Whether the provider caches only what a request marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheMarks {
    Needed,
    Unknown,
}

/// A request as genai takes it. The marks are at the end of the system prompt, which stays the same, and at the end of the
/// conversation, with which the next request begins.
pub(super) fn request(request: &Request, marks: CacheMarks) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = request.messages.iter().map(|it| message(it)).collect();
    let mut system = Some(request.system.as_str()).filter(|system| !system.is_empty());
    if marks == CacheMarks::Needed {
        if let Some(last) = messages.last_mut() {
            last.options = Some(CacheControl::Ephemeral.into());
        }
        if let Some(system) = system.take() {
            let marked = ChatMessage::system(system).with_options(CacheControl::Ephemeral);
            messages.insert(0, marked);
        }
    }
    let mut theirs = ChatRequest::new(messages);
    if let Some(system) = system {
        theirs = theirs.with_system(system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(tool.input_schema.clone())
        });
        theirs = theirs.with_tools(tools);
    }
    theirs
}

fn message(message: &Message) -> ChatMessage {
    match message {
        Message::System(text) => ChatMessage::system(text.as_str()),
        Message::User(text) => ChatMessage::user(text.as_str()),
        Message::Model { text, calls, state } => {
            let mut parts: Vec<ContentPart> = state.as_ref().map(parts).unwrap_or_default();
            if text.is_empty() && calls.is_empty() {
                parts.push(ContentPart::from_text(NOTHING));
            } else if !text.is_empty() {
                parts.push(ContentPart::from_text(text.as_str()));
            }
            parts.extend(
                calls
                    .iter()
                    .map(|call| ContentPart::ToolCall(their_call(call))),
            );
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        Message::Tools(replies) => {
            let replies = replies.iter().map(|reply| {
                ToolResponse::new(reply.call.as_str(), reply.content.as_str())
                    .with_fn_name(reply.tool.as_str())
            });
            ChatMessage::from(replies.collect::<Vec<_>>())
        }
    }
}

/// The saved parts of an answer; parts of an unknown format are ignored.
fn parts(state: &Value) -> Vec<ContentPart> {
    Vec::deserialize(state).unwrap_or_default()
}

fn their_call(call: &ToolCall) -> TheirCall {
    // Providers want an object, also in the place of what the model got wrong.
    let arguments = match &call.arguments {
        object @ Value::Object(_) => object.clone(),
        Value::Null => json!({}),
        other => json!({"invalid": other}),
    };
    TheirCall {
        call_id: call.id.clone(),
        fn_name: call.tool.clone(),
        fn_arguments: arguments,
        thought_signatures: None,
    }
}

/// The state of an answer that must be sent back, besides its text and its calls.
pub(super) fn state(
    content: Option<&MessageContent>,
    reasoning: Option<&str>,
    called: bool,
) -> Option<Value> {
    let kept = |part: &&ContentPart| {
        matches!(
            part,
            ContentPart::ThoughtSignature(_)
                | ContentPart::ReasoningContent(_)
                | ContentPart::Custom(_)
        )
    };
    let parts = content.into_iter().flat_map(MessageContent::parts);
    let mut parts: Vec<ContentPart> = parts.filter(kept).cloned().collect();
    let has_reasoning = parts
        .iter()
        .any(|part| matches!(part, ContentPart::ReasoningContent(_)));
    // Some want their thoughts back as long as tools are at work, and only then.
    if called
        && !has_reasoning
        && let Some(reasoning) = reasoning
    {
        parts.push(ContentPart::ReasoningContent(reasoning.to_owned()));
    }
    if parts.is_empty() {
        return None;
    }
    serde_json::to_value(parts).ok()
}

/// A call as we take it.
pub(super) fn call(theirs: &TheirCall) -> ToolCall {
    let arguments = match &theirs.fn_arguments {
        // A tool without parameters is often called without arguments.
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::Null => json!({}),
        other => other.clone(),
    };
    ToolCall {
        id: theirs.call_id.clone(),
        tool: theirs.fn_name.clone(),
        arguments,
    }
}
