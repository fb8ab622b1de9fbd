//! Requests to a model and its answers.

use std::sync::Arc;

use prowess_core::ToolDefinition;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Arc<Message>>,
    /// The available tools.
    pub tools: Vec<ToolDefinition>,
    /// Tokens of the answer.
    pub max_tokens: Option<u32>,
    /// How adventurous it is.
    pub temperature: Option<f64>,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// By the host, in the middle of a conversation.
    System(String),
    /// By the user.
    User(String),
    /// By the model.
    Model {
        /// The text.
        text: String,
        /// The tool calls.
        calls: Vec<ToolCall>,
        /// The state that the provider expects back.
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
    /// The arguments: an object, or the malformed text.
    pub arguments: Value,
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReply {
    /// The call's name.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The text.
    pub content: String,
    /// Whether the result is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// The next part of the reasoning, if the model provides it.
    Reasoning(String),
    /// A whole call.
    Call(ToolCall),
    /// The token usage.
    Usage(Usage),
    /// The part of it that is known at the start; [`Self::Usage`] replaces it.
    EarlyUsage(Usage),
    /// The state that the provider expects back with this answer.
    State(Value),
    /// The end.
    Stop(StopReason),
}

/// The token usage of an answer, as counted by the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens.
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

impl std::ops::SubAssign for Usage {
    fn sub_assign(&mut self, other: Self) {
        self.input = self.input.saturating_sub(other.input);
        self.cached = self.cached.saturating_sub(other.cached);
        self.output = self.output.saturating_sub(other.output);
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
    /// The provider blocked it.
    Filtered,
}
