//! A stand-in for a model: no key, no network, the same words for the same question.
//!
//! It uses the same loop as any model: it searches a skill, loads it with a tool call, and answers from the result. It
//! states that it is a demo.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream;
use prowess_core::{Operation, Skills, ToolDefinition, ToolUse};
use prowess_spec::estimate_tokens;
use serde_json::{Value, json};

use super::error::ProviderError;
use super::types::{Delta, Message, Request, StopReason, ToolCall, ToolReply, Usage};
use super::{Provider, ResponseStream};

/// Sentences that are taken from a skill.
const SENTENCES: usize = 3;
/// Characters that are taken from a skill or a tool.
const CHARS: usize = 600;

/// A deterministic stand-in for a model.
pub struct DemoProvider {
    skills: Skills,
    tool_use: ToolUse,
}

impl DemoProvider {
    /// One that knows these skills.
    pub fn new(skills: Skills) -> Self {
        let tool_use = ToolUse::Available;
        Self { skills, tool_use }
    }

    /// One that can call tools, or cannot.
    #[must_use]
    pub fn tools(mut self, tool_use: ToolUse) -> Self {
        self.tool_use = tool_use;
        self
    }

    async fn reply(&self, request: &Request) -> Reply {
        let asked = last_user_message(&request.messages);
        let block = blocks(request).pop();
        let (named, last) = match request.messages.last().map(|last| &**last) {
            Some(Message::User(text)) => (last_block(text), None),
            Some(Message::Tools(replies)) => (None, replies.last()),
            _ => (None, None),
        };
        let was_loading = last.is_some_and(|reply| self.is_load(&reply.tool));
        if let Some(reply) = last.filter(|reply| self.is_search(request, &reply.tool)) {
            return self.load(request, first_found(&reply.content));
        }
        if let Some(reply) = last.filter(|_| !was_loading) {
            return Reply::Text(told(reply));
        }
        if let Some((tool, arguments)) = self.fitting(&request.tools, &asked) {
            return Reply::Call(tool, arguments);
        }
        if let Some(block) = named {
            return Reply::Text(format!(
                "{DEMO} You named the skill `{}`. Its instructions start with: {}",
                block.id,
                beginning(&block.body)
            ));
        }
        if was_loading {
            return Reply::Text(match block {
                Some(block) => from_skill(&block),
                None => last.map(told).unwrap_or_default(),
            });
        }
        // What a model does with a catalog that does not list every skill.
        if let Some(tool) = request
            .tools
            .iter()
            .find(|tool| self.is_search(request, &tool.name))
        {
            return Reply::Call(tool.name.clone(), json!({"queries": queries(&asked)}));
        }
        let best = self.skills.search(&asked, 1).await.into_iter().next();
        self.load(request, best.map(|id| id.to_string()))
    }

    /// Loads a skill, or answers from it if it is loaded.
    fn load(&self, request: &Request, best: Option<String>) -> Reply {
        let load = request.tools.iter().find(|tool| self.is_load(&tool.name));
        match (best, load) {
            (Some(id), load) => {
                let loaded = blocks(request)
                    .into_iter()
                    .rev()
                    .find(|block| block.id == id);
                match (loaded, load) {
                    (Some(block), _) => Reply::Text(from_skill(&block)),
                    (None, Some(load)) => {
                        let spec = self.skills.settings().dialect.tool(&load.name);
                        let name = spec.map_or("id", |spec| spec.id);
                        Reply::Call(load.name.clone(), json!({name: id}))
                    }
                    (None, None) => Reply::Text(format!(
                        "{DEMO} The skill `{id}` matches, but I cannot load it without tools. Start your message with `/{id}`."
                    )),
                }
            }
            (None, _) => Reply::Text(format!(
                "{DEMO} No skill matches. Start your message with `/` and a skill id, or choose a real model."
            )),
        }
    }

    /// Whether a tool searches a catalog that is not listed whole.
    fn is_search(&self, request: &Request, tool: &str) -> bool {
        let definition = request.tools.iter().find(|one| one.name == tool);
        let takes_queries =
            definition.is_some_and(|one| one.input_schema.pointer("/properties/queries").is_some());
        let says_so = |text: &str| text.contains("Not listed here:");
        let in_message =
            |message: &Message| matches!(message, Message::System(text) if says_so(text));
        let is_partial = says_so(&request.system)
            || request.messages.iter().any(|message| in_message(message))
            || definition.is_some_and(|one| says_so(&one.description));
        takes_queries && is_partial && !self.is_load(tool)
    }

    fn is_load(&self, tool: &str) -> bool {
        let spec = self.skills.settings().dialect.tool(tool);
        spec.is_some_and(|spec| spec.operation == Operation::Load)
    }

    /// A tool of an active skill whose name is in the question, if we know what to put in.
    fn fitting(&self, tools: &[ToolDefinition], asked: &str) -> Option<(String, Value)> {
        let words = words(asked);
        let of_skills = tools
            .iter()
            .filter(|tool| self.skills.settings().dialect.tool(&tool.name).is_none());
        let mut fits = of_skills.filter(|tool| {
            let name = self::words(&tool.name.replace(['_', '-'], " "));
            name.len() > 1 && name.iter().all(|word| words.contains(word))
        });
        let tool = fits.next()?;
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        match required.as_slice() {
            [] => Some((tool.name.clone(), json!({}))),
            [only] => {
                let kind = tool
                    .input_schema
                    .pointer(&format!("/properties/{only}/type"));
                (kind == Some(&json!("string"))).then(|| (tool.name.clone(), json!({*only: asked})))
            }
            _ => None,
        }
    }
}

const DEMO: &str = "This is the demo model: it searches skills but does not reason.";

/// The question in the words of the user, and its rarer words alone.
fn queries(asked: &str) -> Vec<String> {
    let long: Vec<&str> = asked
        .split_whitespace()
        .filter(|word| word.len() > 4)
        .collect();
    let mut queries = vec![asked.to_owned()];
    if !long.is_empty() && long.len() < asked.split_whitespace().count() {
        queries.push(long.join(" "));
    }
    queries
}

/// The id of the first skill in the result of a search, whatever the dialect.
fn first_found(content: &str) -> Option<String> {
    fn skills(value: &Value) -> Option<&Value> {
        match value {
            Value::Object(members) => members
                .get("skills")
                .or_else(|| members.values().find_map(skills)),
            _ => None,
        }
    }
    let value: Value = serde_json::from_str(content).ok()?;
    let first = skills(&value)?.get(0)?;
    let id = first.get("id").or_else(|| first.get("name"))?;
    id.as_str().map(str::to_owned)
}

enum Reply {
    Text(String),
    Call(String, Value),
}

struct Block {
    id: String,
    body: String,
}

#[async_trait]
impl Provider for DemoProvider {
    fn name(&self) -> &'static str {
        "demo"
    }

    fn tool_use(&self) -> ToolUse {
        self.tool_use
    }

    fn summarises(&self) -> bool {
        false
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        let mut deltas = Vec::new();
        let (stop, said) = match self.reply(&request).await {
            Reply::Text(text) => {
                let parts = text
                    .split_inclusive(' ')
                    .map(|part| Delta::Text(part.to_owned()));
                deltas.extend(parts);
                (StopReason::Complete, text)
            }
            Reply::Call(tool, arguments) => {
                let said = arguments.to_string();
                let id = format!("demo-{}", request.messages.len());
                deltas.push(Delta::Call(ToolCall {
                    id,
                    tool,
                    arguments,
                }));
                (StopReason::Tools, said)
            }
        };
        let sizes = request.messages.iter().map(|message| size(message));
        deltas.push(Delta::Usage(Usage {
            input: (estimate_tokens(&request.system) + sizes.sum::<usize>()) as u64,
            cached: 0,
            output: estimate_tokens(&said) as u64,
        }));
        deltas.push(Delta::Stop(stop));
        Ok(Box::pin(stream::iter(deltas.into_iter().map(Ok))))
    }
}

fn size(message: &Message) -> usize {
    match message {
        Message::System(text) | Message::User(text) | Message::Model { text, .. } => {
            estimate_tokens(text)
        }
        Message::Tools(replies) => replies
            .iter()
            .map(|reply| estimate_tokens(&reply.content))
            .sum(),
    }
}

/// The last message of the user, without the blocks before it.
fn last_user_message(messages: &[Arc<Message>]) -> String {
    let last = messages.iter().rev().find_map(|message| match &**message {
        Message::User(text) => Some(text.as_str()),
        _ => None,
    });
    let text = last.unwrap_or_default();
    text.rsplit_once("</skill>")
        .map_or(text, |(_, rest)| rest)
        .trim()
        .to_owned()
}

/// Every block that the model has before it, oldest first.
fn blocks(request: &Request) -> Vec<Block> {
    let mut found = all_blocks(&request.system);
    for message in &request.messages {
        match &**message {
            Message::User(text) => found.extend(all_blocks(text)),
            Message::Tools(replies) => {
                for reply in replies {
                    found.extend(all_blocks(&plain(&reply.content)));
                }
            }
            _ => {}
        }
    }
    found
}

fn last_block(text: &str) -> Option<Block> {
    all_blocks(text).pop()
}

fn all_blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<skill id=\"") {
        // In the catalog, skills are indented; blocks never are.
        if !before.is_empty() && !before.ends_with('\n') {
            rest = after;
            continue;
        }
        let Some((id, after)) = after.split_once("\">") else {
            break;
        };
        let (body, after) = after.split_once("</skill>").unwrap_or((after, ""));
        found.push(Block {
            id: id.to_owned(),
            body: body.to_owned(),
        });
        rest = after;
    }
    found
}

/// The text in a result, whatever shape a dialect gives it.
fn plain(content: &str) -> String {
    let Ok(Value::Object(object)) = serde_json::from_str(content) else {
        return content.to_owned();
    };
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let body = text("body").or(text("instructions"));
    let in_data = object
        .get("data")
        .and_then(|data| data.get("body")?.as_str());
    match (text("content"), body.or(in_data)) {
        (Some(block), _) => block.to_owned(),
        (None, Some(body)) => {
            let id = text("name").or(text("skill_name")).unwrap_or("skill");
            format!("<skill id=\"{id}\">{body}</skill>")
        }
        (None, None) => content.to_owned(),
    }
}

fn from_skill(block: &Block) -> String {
    format!(
        "{DEMO} The skill `{}` matches best. Its instructions start with: {}",
        block.id,
        beginning(&block.body)
    )
}

fn told(reply: &ToolReply) -> String {
    let what = if reply.is_error { "failed" } else { "says" };
    let text: String = reply.content.chars().take(CHARS).collect();
    format!("{DEMO} The tool `{}` {what}: {}", reply.tool, text.trim())
}

/// The first sentences of instructions, without headings and marks.
fn beginning(body: &str) -> String {
    let lines = body
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '<', '`', '|']));
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut sentences = String::new();
    for sentence in text.split_inclusive(". ").take(SENTENCES) {
        sentences.push_str(sentence);
    }
    let taken: String = sentences.trim().chars().take(CHARS).collect();
    if taken.is_empty() {
        "(nothing).".to_owned()
    } else {
        taken
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
