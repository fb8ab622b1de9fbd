//! Events as JSON, one per line. The last one always marks the end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_agent::wire::AgentEvent;
use prowess_agent::{Chat, Ending};
use prowess_store::ChatId;
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::terminal;

/// Prints events, if requested.
pub(super) struct Events {
    pub(super) wanted: bool,
    over: AtomicBool,
}

impl Events {
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            wanted,
            over: AtomicBool::new(false),
        }
    }

    /// Which chat it is.
    pub(super) fn begin(&self, chat: &Chat) -> io::Result<()> {
        if !self.wanted {
            return Ok(());
        }
        let id = chat.id().map(ChatId::as_str);
        line(&json!({"type": "chat", "id": id, "model": chat.model()}))
    }

    pub(super) fn tell(&self, event: &AgentEvent) {
        if matches!(event, AgentEvent::Done { .. }) {
            self.over.store(true, Ordering::Release);
        }
        // A closed pipe is not an error.
        let _ = serde_json::to_value(event).map(|event| line(&event));
    }

    /// Prints the final event, if it is missing.
    pub(super) fn fail(&self, error: &CommandError) {
        if !self.wanted || self.over.load(Ordering::Acquire) {
            return;
        }
        let failed = json!({"type": "failed", "reason": error.message, "error": error.to_json()});
        let _ = line(&failed);
        self.tell(&AgentEvent::Done {
            ending: Ending::Failed,
            text: String::new(),
            rounds: 0,
        });
    }
}

fn line(value: &Value) -> io::Result<()> {
    terminal::print(&format!("{}\n", terminal::visible_json(&value.to_string())))
}
