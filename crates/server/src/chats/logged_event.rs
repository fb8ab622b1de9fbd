//! An event in the log of a chat. The small parts of an answer can be joined, and split again where a reader stopped.

use std::sync::Arc;

use axum::body::Bytes;
use prowess_agent::wire::AgentEvent;

use super::event::{ChatEvent, frame};
use super::event_id::Run;

/// An event in the log.
#[derive(Clone, Debug)]
pub(crate) struct LoggedEvent {
    /// Its number; the last one if several events were joined.
    pub(crate) number: u64,
    /// The number of the first event that was joined into it.
    pub(crate) first: u64,
    pub(crate) turn: Option<u64>,
    pub(crate) event: Arc<ChatEvent>,
    /// As it is sent.
    pub(crate) frame: Bytes,
    /// For each event that was joined its number, and where its text ends.
    parts: Arc<[(u64, usize)]>,
}

impl LoggedEvent {
    pub(crate) fn new(run: &Run, number: u64, turn: Option<u64>, event: ChatEvent) -> Self {
        let data = event.json(turn);
        let name = data.get("type").and_then(|it| it.as_str());
        let frame = frame(Some(&run.id(number)), name, &data);
        Self {
            number,
            first: number,
            turn,
            event: Arc::new(event),
            frame,
            parts: Arc::default(),
        }
    }

    /// The memory that it needs, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let content = match &*self.event {
            ChatEvent::Agent(AgentEvent::ToolFinished { content, .. }) => content.len(),
            _ => 0,
        };
        self.frame.len() + content + size_of_val(&*self.parts)
    }

    /// The part of joined events up to a number, and the part after it.
    pub(crate) fn split(&self, run: &Run, number: u64) -> Option<(Self, Self)> {
        let (kind, text) = delta(&self.event)?;
        let seen = self.parts.partition_point(|(part, _)| *part <= number);
        let (_, end) = self.parts.get(seen.checked_sub(1)?)?;
        let (head, tail) = text.split_at_checked(*end)?;
        let head = Self {
            first: self.first,
            ..Self::new(run, number, self.turn, kind.event(head.to_owned()))
        };
        let tail = Self {
            first: number + 1,
            ..Self::new(run, self.number, self.turn, kind.event(tail.to_owned()))
        };
        Some((head, tail))
    }
}

/// What an event has a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Reasoning,
}

impl Kind {
    fn event(self, delta: String) -> ChatEvent {
        ChatEvent::Agent(match self {
            Self::Text => AgentEvent::Text { delta },
            Self::Reasoning => AgentEvent::Reasoning { delta },
        })
    }
}

/// Several parts of one answer as one event.
pub(crate) fn joined(run: &Run, group: &[LoggedEvent]) -> Option<LoggedEvent> {
    let [first, _, ..] = group else { return None };
    let (kind, _) = delta(&first.event)?;
    let (mut text, mut parts) = (String::new(), Vec::new());
    for event in group {
        let before = text.len();
        text.push_str(delta(&event.event)?.1);
        let earlier = event.parts.iter().map(|(part, end)| (*part, before + end));
        parts.extend(earlier);
        if event.parts.is_empty() {
            parts.push((event.number, text.len()));
        }
    }
    let number = group.last()?.number;
    Some(LoggedEvent {
        first: first.first,
        parts: parts.into(),
        ..LoggedEvent::new(run, number, first.turn, kind.event(text))
    })
}

/// The part of an answer that an event has.
pub(crate) fn delta(event: &ChatEvent) -> Option<(Kind, &str)> {
    match event {
        ChatEvent::Agent(AgentEvent::Text { delta }) => Some((Kind::Text, delta)),
        ChatEvent::Agent(AgentEvent::Reasoning { delta }) => Some((Kind::Reasoning, delta)),
        _ => None,
    }
}
