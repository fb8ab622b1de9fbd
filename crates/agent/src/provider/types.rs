//! What a model is asked, and what it says.

use std::sync::Arc;

use prowess_core::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that a model is asked at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// What it is told before everything else.
    pub system: String,
    /// What was said so far.
    pub messages: Vec<Arc<Message>>,
    /// What it may call.
    pub tools: Vec<ToolDefinition>,
    /// Tokens of the answer.
    pub max_tokens: Option<u32>,
    /// How adventurous it is.
    pub temperature: Option<f64>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// By the host, in the middle of a conversation.
    System(String),
    /// By the user.
    User(String),
    /// By the model.
    Model {
        /// What it said.
        text: String,
        /// What it called.
        calls: Vec<ToolCall>,
        /// What the provider wants to have back.
        state: Option<Value>,
    },
    /// By tools, in the order in which they were called.
    Tools(Vec<ToolReply>),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call's name, which the reply repeats.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What goes in: an object, or a text that should have been one.
    pub arguments: Value,
}

/// What a tool has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReply {
    /// The call's name.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The text.
    pub content: String,
    /// Whether it tells of a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// More of what the model thinks, where it says so.
    Reasoning(String),
    /// A whole call.
    Call(ToolCall),
    /// What the answer costs.
    Usage(Usage),
    /// What the provider wants to have back with this answer.
    State(Value),
    /// The end.
    Stop(StopReason),
}

/// What an answer costs, as the provider counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that went in.
    pub input: u64,
    /// Those among them that were cached.
    #[serde(default)]
    pub cached: u64,
    /// Tokens that came out.
    pub output: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
    }
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// It is complete.
    Complete,
    /// The model waits for its tools.
    Tools,
    /// It reached its limit.
    Length,
    /// Somebody at the provider objects to it.
    Filtered,
}
