//! The events of a chat: those of the agent, and what happens around them.

use axum::body::Bytes;
use prowess_agent::Ending;
use prowess_agent::wire::AgentEvent;
use prowess_core::SkillId;
use serde::Serialize;
use serde_json::Value;

/// Something that happens in a chat.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub(crate) enum ChatEvent {
    /// A turn begins.
    TurnStarted {
        model: String,
        /// The id that an AG-UI client gave it.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<String>,
    },
    /// The message of the turn, for other clients than the one that sent it.
    UserMessage {
        text: String,
        references: Vec<SkillId>,
    },
    /// The user must decide.
    Question(Question),
    /// The user decided, or can no longer decide.
    QuestionAnswered {
        id: String,
        /// None if the question was closed without an answer.
        choice: Option<String>,
        reason: AnswerReason,
    },
    /// A turn is over, and the chat contains it.
    TurnFinished {
        ending: Ending,
        /// Whether the chat is as it was before the turn.
        discarded: bool,
    },
    /// Something else than a turn changed the chat: fetch it again.
    ChatChanged { reason: &'static str },
    /// The chat was deleted; the stream ends.
    ChatDeleted,
    /// Events are missing: fetch the chat again. The stream ends.
    Reset { reason: &'static str },
    /// An event of the agent, in the form of `prowess chat --json`.
    #[serde(untagged)]
    Agent(AgentEvent),
}

/// Why a question is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AnswerReason {
    Answered,
    TimedOut,
    Cancelled,
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) kind: QuestionKind,
    pub(crate) skill: SkillId,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<String>,
    pub(crate) choices: Vec<Choice>,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QuestionKind {
    Skill,
    Command,
    Write,
}

/// A possible answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Choice {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
}

impl ChatEvent {
    /// The event as JSON, with the number of its turn.
    pub(crate) fn json(&self, turn: Option<u64>) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let (Some(object), Some(turn)) = (value.as_object_mut(), turn) {
            object.insert("turn".to_owned(), turn.into());
        }
        value
    }
}

/// A server-sent event.
pub(crate) fn frame(id: Option<&str>, name: Option<&str>, data: &Value) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let name = name.map(|it| format!("event: {it}\n")).unwrap_or_default();
    // JSON contains no line breaks.
    format!("{id}{name}data: {data}\n\n").into()
}
