//! Saved chats, as clients see them.

use std::time::SystemTime;

use prowess_agent::wire::ChatEntry;
use prowess_store::{Chat as Stored, ChatId, ChatSummary};
use serde::Serialize;

use super::content::Content;

/// A chat without its messages, in the form of `prowess chat --list --json`.
#[derive(Serialize)]
pub(crate) struct SavedChat {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) turns: u64,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) forked_from: Option<String>,
    /// Seconds since 1970.
    pub(crate) created: u64,
    pub(crate) updated: u64,
}

impl From<ChatSummary> for SavedChat {
    fn from(chat: ChatSummary) -> Self {
        let seconds = |time: SystemTime| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH);
            since.unwrap_or_default().as_secs()
        };
        Self {
            id: chat.id.to_string(),
            title: chat.title,
            turns: chat.turns,
            input_tokens: chat.tokens.input,
            output_tokens: chat.tokens.output,
            forked_from: chat.forked_from.as_ref().map(ChatId::to_string),
            created: seconds(chat.created),
            updated: seconds(chat.updated),
        }
    }
}

/// The messages of a saved chat.
pub(crate) fn content(stored: &Stored) -> Result<Content, String> {
    let entries: Result<Vec<ChatEntry>, serde_json::Error> = stored
        .messages
        .iter()
        .map(|text| serde_json::from_str(text))
        .collect();
    let entries = entries.map_err(|error| {
        let id = &stored.summary.id;
        format!("cannot read chat `{id}`: {error}")
    })?;
    Ok(Content::new(entries.into_iter(), stored.active.clone()))
}
