//! The messages of a chat, as they are saved.

use prowess_core::SkillId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::provider::ToolCall;

/// A saved message of a chat. It never contains instructions of skills: they are loaded again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case")]
pub enum ChatEntry {
    /// By the user.
    User {
        /// The message as it was written, reference and all.
        text: String,
        /// Skills that the program named with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        references: Vec<SkillId>,
        /// The workflow that it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<WorkflowRun>,
    },
    /// By the model.
    Model {
        /// The text.
        text: String,
        /// The tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// The state that the provider expects back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
        /// Why it is incomplete.
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
        /// The summary of the removed messages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
}

/// A workflow that a message of the user ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowRun {
    /// The skill.
    pub skill: SkillId,
    /// The workflow.
    pub workflow: String,
    /// The input.
    pub input: Value,
    /// The result.
    pub content: String,
    /// Whether the result is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Why an answer is incomplete.
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

/// The result of a tool, as it is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptReply {
    /// The call's name.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The text; none where the same call gives it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the result is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
