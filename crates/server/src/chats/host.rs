//! What the server needs of its host to hold chats.

use std::sync::Arc;

use async_trait::async_trait;
use prowess_agent::{Agent, UnsavedMessages};
use prowess_core::Skills;
use prowess_runtime::{
    ApprovalRequest, Approver, CommandApprovalRequest, ProtectedWriteRequest, Runtime,
};
use prowess_store::Store;
use serde::Serialize;

/// Builds the agents of chats.
#[async_trait]
pub trait ChatHost: Send + Sync {
    /// The store that saves chats.
    fn store(&self) -> &Store;

    /// The skills of every agent.
    fn skills(&self) -> &Skills;

    /// The model that answers.
    fn model(&self) -> ChatModel;

    /// Builds an agent for one chat, with a runtime of its own: chats share no active code, no approvals for one session
    /// and no events. An error is a message for the user.
    async fn agent(&self, approver: Arc<dyn Approver>) -> Result<ChatAgent, String>;

    /// The server stops, and these messages could not be saved: they should be written elsewhere, and an operator told.
    fn keep_unsaved(&self, unsaved: &UnsavedMessages) {
        tracing::error!(chat = %unsaved.chat, "the last turn of a chat was not saved");
    }

    /// A request to approve rights, as a terminal shows it.
    fn approval_text(&self, request: &ApprovalRequest<'_>) -> QuestionText;

    /// A request to approve a command, as a terminal shows it.
    fn command_text(&self, request: &CommandApprovalRequest<'_>) -> QuestionText;

    /// A request to write a protected file, as a terminal shows it; its details are the whole text.
    fn write_text(&self, request: &ProtectedWriteRequest<'_>) -> QuestionText;
}

/// The agent of one chat.
pub struct ChatAgent {
    /// The agent, which saves chats in the store of the host.
    pub agent: Agent,
    /// Its runtime of code skills, which is shut down with the chat.
    pub runtime: Option<Runtime>,
}

/// The text of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionText {
    /// What the user decides about.
    pub text: String,
    /// More about it, for users who want to see it first.
    pub details: Option<String>,
}

/// The model that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatModel {
    /// Its name; none if the configuration is invalid.
    pub name: Option<String>,
    /// Whether it is the demo model.
    pub demo: bool,
    /// What to do to use another one, or why there is none.
    pub hint: Option<String>,
}

/// What happens to a turn whose last event stream is closed by its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnDisconnect {
    /// It continues.
    #[default]
    Finish,
    /// It is cancelled.
    Cancel,
}
