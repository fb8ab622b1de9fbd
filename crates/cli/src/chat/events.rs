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
pub(super) struct EventWriter {
    pub(super) enabled: bool,
    done: AtomicBool,
}

impl EventWriter {
    pub(super) fn new(enabled: bool) -> Self {
        Self {
            enabled,
            done: AtomicBool::new(false),
        }
    }

    /// Which chat it is.
    pub(super) fn write_chat(&self, chat: &Chat) -> io::Result<()> {
        if !self.enabled {
            return Ok(());
        }
        let id = chat.id().map(ChatId::as_str);
        line(&json!({"type": "chat", "id": id, "model": chat.model()}))
    }

    pub(super) fn write(&self, event: &AgentEvent) {
        if matches!(event, AgentEvent::Done { .. }) {
            self.done.store(true, Ordering::Release);
        }
        // A closed pipe is not an error.
        let _ = serde_json::to_value(event).map(|event| line(&event));
    }

    /// Prints the final event, if it is missing.
    pub(super) fn write_failure(&self, error: &CommandError) {
        if !self.enabled || self.done.load(Ordering::Acquire) {
            return;
        }
        let failed = json!({"type": "failed", "reason": error.message, "error": error.to_json()});
        let _ = line(&failed);
        self.write(&AgentEvent::Done {
            ending: Ending::Failed,
            text: String::new(),
            rounds: 0,
        });
    }
}

fn line(value: &Value) -> io::Result<()> {
    terminal::print(&format!("{}\n", terminal::visible_json(&value.to_string())))
}
