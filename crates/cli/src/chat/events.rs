//! Events for machines, one in a line. Whatever happens, the last one says that it is over.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_agent::wire::AgentEvent;
use prowess_agent::{Chat, Ending};
use prowess_store::ChatId;
use serde_json::{Value, json};

use crate::terminal;

/// Prints events, if that is wanted.
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
        // Whoever closed the pipe does not want to read.
        let _ = serde_json::to_value(event).map(|event| line(&event));
    }

    /// It is over before there was an answer, if that was not said.
    pub(super) fn fail(&self, error: &anyhow::Error) {
        if !self.wanted || self.over.load(Ordering::Acquire) {
            return;
        }
        self.tell(&AgentEvent::Failed {
            reason: format!("{error:#}"),
        });
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
