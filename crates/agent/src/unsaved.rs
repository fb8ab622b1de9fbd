//! What a chat has and the store has not.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_store::ChatId;
use serde_json::{Value, json};

/// Messages of a chat that are not in the store yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedMessages {
    /// The chat.
    pub chat: ChatId,
    /// How many messages of the chat in the store come before them; what it has after those is replaced.
    pub after: usize,
    /// The messages, in the form of the store.
    pub messages: Vec<String>,
}

impl UnsavedMessages {
    /// A JSON document with all of it.
    pub fn document(&self) -> String {
        let messages = self.messages.iter();
        let messages: Vec<Value> = messages
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())))
            .collect();
        let document = json!({
            "chat": self.chat.as_str(),
            "after": self.after,
            "messages": messages,
        });
        format!("{document:#}\n")
    }
}

/// The messages of one chat that are not saved. Clones share them, so that they can be written elsewhere at any moment,
/// also while the chat is busy with an attempt to save them.
#[derive(Clone, Debug, Default)]
pub struct Unsaved(Arc<Mutex<Option<UnsavedMessages>>>);

impl Unsaved {
    /// The messages; `None` if all are in the store.
    pub fn messages(&self) -> Option<UnsavedMessages> {
        let messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.clone()
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        let messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.is_none()
    }

    pub(crate) fn set(&self, unsaved: Option<UnsavedMessages>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = unsaved;
    }
}
