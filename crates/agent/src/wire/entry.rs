//! The messages of a chat, as they are kept.

use prowess_core::SkillId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::provider::ToolCall;

/// A message of a chat that is kept. Instructions of skills are never in it: they are asked for again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case")]
pub enum Entry {
    /// By the user.
    User {
        /// The message as it was written, reference and all.
        text: String,
        /// Skills that the program named with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        references: Vec<SkillId>,
    },
    /// By the model.
    Model {
        /// What it said.
        text: String,
        /// What it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants to have back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
        /// Why there is not more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<Cut>,
    },
    /// By tools.
    Tools {
        /// In the order in which they were called.
        replies: Vec<KeptReply>,
    },
    /// From here on the model does not see the messages before the one with that number.
    Compacted {
        /// The first message that it sees.
        from: usize,
        /// What stands for the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
}

/// Why there is not more of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// The provider failed.
    BrokeOff,
    /// The user stopped it.
    Cancelled,
    /// It reached its limit.
    Length,
    /// There were too many rounds of tool calls.
    Rounds,
}

/// What a tool had to say, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReply {
    /// The call's name.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The text; none where the same call gives it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether it tells of a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
