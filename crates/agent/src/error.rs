//! Why an agent could not be built, or a turn not be made.

use prowess_core::{BuildError, InvalidId, SkillId};
use prowess_store::StoreError;

use crate::provider::ProviderError;

/// Why an agent could not be built, or a turn not be made.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No skills are available.
    #[error(transparent)]
    Skills(#[from] BuildError),
    /// A skill to preload has no id.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// A skill to preload cannot be loaded.
    #[error("cannot preload `{id}`: {reason}{}", meant(nearest))]
    Preload {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
        /// Similar ids.
        nearest: Vec<String>,
    },
    /// The message is too long; nothing was sent.
    #[error(
        "the message is too long: {bytes} bytes, at most {limit} allowed; move the rest to a file"
    )]
    MessageTooLarge {
        /// Its size.
        bytes: usize,
        /// How much there may be.
        limit: usize,
    },
    /// The message is empty; nothing was sent.
    #[error("the message is empty")]
    EmptyMessage,
    /// There is no message to send again.
    #[error("no messages yet")]
    NoTurn,
    /// The model does not answer; the chat is as it was before the turn.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The chat could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A message of a saved chat is malformed; a newer Prowess may have written it.
    #[error("cannot read message {number} of chat `{id}`: {reason}")]
    Unreadable {
        /// The chat.
        id: String,
        /// Which message, from 0 on.
        number: usize,
        /// The problem.
        reason: String,
    },
    /// Chats are not saved.
    #[error("this agent does not save chats")]
    NoStore,
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}
