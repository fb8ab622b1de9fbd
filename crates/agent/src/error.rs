//! Why an agent could not be built, or a turn not be made.

use prowess_core::{BuildError, InvalidId, SkillId};
use prowess_store::StoreError;

use crate::provider::ProviderError;

/// Why an agent could not be built, or a turn not be made.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// There are no skills to be had.
    #[error(transparent)]
    Skills(#[from] BuildError),
    /// A skill to preload has no id.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// A skill to preload cannot be had.
    #[error("cannot preload `{id}`: {reason}{}", meant(nearest))]
    Preload {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
        /// Ids that may have been meant.
        nearest: Vec<String>,
    },
    /// There is too much of a message; nothing was sent.
    #[error(
        "the message has {bytes} bytes, and at most {limit} can be sent; put the rest into a file"
    )]
    MessageTooLarge {
        /// How much there is.
        bytes: usize,
        /// How much there may be.
        limit: usize,
    },
    /// There is nothing in a message; nothing was sent.
    #[error("the message is empty")]
    EmptyMessage,
    /// The model does not answer; the chat is as it was before the turn.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The chat could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A message of a chat that was kept cannot be understood; a newer Prowess may have written it.
    #[error("message {number} of the chat `{id}` cannot be read: {reason}")]
    Unreadable {
        /// The chat.
        id: String,
        /// Which message, from 0 on.
        number: usize,
        /// What is wrong.
        reason: String,
    },
    /// Chats are not kept here.
    #[error("this agent keeps no chats")]
    NoStore,
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}
