//! The events of a chat in the form of the AG-UI protocol.

use std::collections::HashMap;

use prowess_agent::Ending;
use prowess_agent::wire::AgentEvent;
use serde_json::{Value, json};

use super::event::ChatEvent;
use super::event_id::Run;
use super::logged_event::LoggedEvent;

/// Translates the events of a chat, in order.
pub(crate) struct Translator {
    run: Run,
    thread: String,
    /// The id of the running turn, as the client named it or as we do.
    turn: String,
    open: Option<OpenMessage>,
    /// The last text message of this answer, which its tool calls belong to.
    parent: Option<String>,
    /// The ids of calls by the names that the provider gave them.
    calls: HashMap<String, String>,
    failure: Option<String>,
}

/// A message whose end was not told yet.
struct OpenMessage {
    id: String,
    is_reasoning: bool,
}

impl Translator {
    pub(crate) fn new(run: Run, thread: String) -> Self {
        Self {
            run,
            thread,
            turn: String::new(),
            open: None,
            parent: None,
            calls: HashMap::new(),
            failure: None,
        }
    }

    /// That events are missing.
    pub(crate) fn reset(reason: &str) -> Value {
        json!({"type": "RUN_ERROR", "message": reason, "code": "reset"})
    }

    /// The events of the protocol for an event.
    pub(crate) fn translate(&mut self, logged: &LoggedEvent) -> Vec<Value> {
        let mut out = Vec::new();
        match &*logged.event {
            ChatEvent::TurnStarted { run, .. } => {
                let own = || self.run.id(logged.number);
                self.turn = run.clone().unwrap_or_else(own);
                (self.open, self.parent, self.failure) = (None, None, None);
                self.calls.clear();
                out.push(
                    json!({"type": "RUN_STARTED", "threadId": self.thread, "runId": self.turn}),
                );
            }
            // Nothing may come between two runs.
            ChatEvent::Agent(AgentEvent::Saved) if logged.turn.is_none() => {}
            ChatEvent::Agent(event) => self.agent(event, logged, &mut out),
            ChatEvent::TurnFinished { ending, discarded } => {
                self.end(&mut out);
                out.push(self.finished(*ending, *discarded));
            }
            // Nothing may come between two runs.
            ChatEvent::ChatChanged { .. } | ChatEvent::ChatDeleted | ChatEvent::Reset { .. } => {}
            event => out.push(custom(event, logged.turn)),
        }
        out
    }

    fn agent(&mut self, event: &AgentEvent, logged: &LoggedEvent, out: &mut Vec<Value>) {
        match event {
            AgentEvent::Text { delta } => self.delta(delta, false, logged, out),
            AgentEvent::Reasoning { delta } => self.delta(delta, true, logged, out),
            AgentEvent::ToolStarted {
                call,
                tool,
                arguments,
                ..
            } => {
                self.end(out);
                // Providers use the same name in several answers.
                let id = self.run.id(logged.number);
                self.calls.insert(call.clone(), id.clone());
                let mut start =
                    json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": tool});
                if let (Some(object), Some(parent)) = (start.as_object_mut(), &self.parent) {
                    object.insert("parentMessageId".to_owned(), json!(parent));
                }
                let arguments = arguments.to_string();
                out.push(start);
                out.push(json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": arguments}));
                out.push(json!({"type": "TOOL_CALL_END", "toolCallId": id}));
            }
            AgentEvent::ToolFinished { call, content, .. } => {
                self.parent = None;
                let id = self.calls.get(call).unwrap_or(call);
                out.push(json!({
                    "type": "TOOL_CALL_RESULT", "messageId": self.run.id(logged.number),
                    "toolCallId": id, "content": content, "role": "tool",
                }));
            }
            AgentEvent::Done { .. } => self.end(out),
            event => {
                if let AgentEvent::Failed { reason } = event {
                    self.failure = Some(reason.clone());
                }
                out.push(custom(&logged.event, logged.turn));
            }
        }
    }

    fn delta(
        &mut self,
        delta: &str,
        is_reasoning: bool,
        logged: &LoggedEvent,
        out: &mut Vec<Value>,
    ) {
        if delta.is_empty() {
            return;
        }
        let open = self.open.take_if(|it| it.is_reasoning == is_reasoning);
        let id = if let Some(open) = open {
            open.id
        } else {
            self.end(out);
            let id = self.run.id(logged.first);
            if is_reasoning {
                out.push(json!({"type": "REASONING_START", "messageId": id}));
                out.push(json!({
                    "type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning",
                }));
            } else {
                self.parent = Some(id.clone());
                out.push(
                    json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
                );
            }
            id
        };
        let kind = if is_reasoning {
            "REASONING_MESSAGE_CONTENT"
        } else {
            "TEXT_MESSAGE_CONTENT"
        };
        out.push(json!({"type": kind, "messageId": id, "delta": delta}));
        self.open = Some(OpenMessage { id, is_reasoning });
    }

    /// Ends the open message.
    fn end(&mut self, out: &mut Vec<Value>) {
        match self.open.take() {
            Some(open) if open.is_reasoning => {
                out.push(json!({"type": "REASONING_MESSAGE_END", "messageId": open.id}));
                out.push(json!({"type": "REASONING_END", "messageId": open.id}));
            }
            Some(open) => out.push(json!({"type": "TEXT_MESSAGE_END", "messageId": open.id})),
            None => {}
        }
    }

    fn finished(&mut self, ending: Ending, discarded: bool) -> Value {
        if ending == Ending::Failed {
            let message = self
                .failure
                .take()
                .unwrap_or_else(|| "the turn failed".to_owned());
            return json!({"type": "RUN_ERROR", "message": message, "code": "failed"});
        }
        let outcome = if ending == Ending::Cancelled {
            "cancelled"
        } else {
            "success"
        };
        json!({
            "type": "RUN_FINISHED", "threadId": self.thread, "runId": self.turn,
            "outcome": {"type": outcome}, "result": {"ending": ending, "discarded": discarded},
        })
    }
}

/// An event that the protocol has no name for.
fn custom(event: &ChatEvent, turn: Option<u64>) -> Value {
    let value = event.json(turn);
    let name = value.get("type").cloned().unwrap_or_default();
    json!({"type": "CUSTOM", "name": name, "value": value})
}
