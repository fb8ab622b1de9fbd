//! The last events of a chat, for readers that come later or come back.

use std::collections::VecDeque;

use super::event::ChatEvent;
use super::event_id::Run;
use super::logged_event::{LoggedEvent, delta, joined};
use crate::limits::{LOG_BYTES, LOG_EVENTS, STREAM_PART};

/// The newest events, which are never joined: their readers are connected.
const NEWEST: usize = 256;

/// The events after a reader's place are not all there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing;

/// A bounded log. The events of a running turn stay as long as possible, so that a page that is loaded again can show it:
/// first older turns are forgotten, then the small parts of an answer are joined.
pub(crate) struct EventLog {
    run: Run,
    events: VecDeque<LoggedEvent>,
    bytes: usize,
    /// Events up to this number are unknown.
    floor: u64,
    last: u64,
}

impl EventLog {
    pub(crate) fn new(run: Run, floor: u64, last: u64) -> Self {
        Self {
            run,
            events: VecDeque::new(),
            bytes: 0,
            floor,
            last,
        }
    }

    /// The number of the last event.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Everything after this number is there.
    pub(crate) fn floor(&self) -> u64 {
        self.floor
    }

    /// Adds an event. `running` is the number before the first event of the running turn.
    pub(crate) fn push(&mut self, turn: Option<u64>, event: ChatEvent, running: Option<u64>) {
        let number = self.run.next();
        self.last = number;
        self.add(LoggedEvent::new(&self.run, number, turn, event));
        if !self.is_full() {
            return;
        }
        self.forget(running.unwrap_or(u64::MAX));
        if self.is_full() {
            self.join();
            self.forget(u64::MAX);
        }
    }

    /// Forgets all but the newest events: the chat is not used, and its readers have the others.
    pub(crate) fn shrink(&mut self) {
        while (self.events.len() > NEWEST || self.bytes > STREAM_PART)
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.floor = oldest.number;
        }
    }

    fn add(&mut self, event: LoggedEvent) {
        self.bytes += event.bytes();
        self.events.push_back(event);
    }

    fn is_full(&self) -> bool {
        self.events.len() > LOG_EVENTS || self.bytes > LOG_BYTES
    }

    /// Forgets the oldest events up to a number, as far as needed.
    fn forget(&mut self, up_to: u64) {
        while self.is_full()
            && let Some(oldest) = self.events.pop_front_if(|it| it.number <= up_to)
        {
            self.bytes -= oldest.bytes();
            self.floor = oldest.number;
        }
    }

    /// Joins the parts of answers, except the newest.
    fn join(&mut self) {
        let events: Vec<LoggedEvent> = std::mem::take(&mut self.events).into();
        self.bytes = 0;
        let (old, newest) = events.split_at(events.len().saturating_sub(NEWEST));
        let kind = |event: &LoggedEvent| delta(&event.event).map(|(kind, _)| kind);
        for group in old.chunk_by(|a, b| kind(a).is_some() && kind(a) == kind(b)) {
            match joined(&self.run, group) {
                Some(event) => self.add(event),
                None => group.iter().for_each(|event| self.add(event.clone())),
            }
        }
        for event in newest {
            self.add(event.clone());
        }
    }

    /// Events after a number, at most about `bytes` of them.
    pub(crate) fn after(&self, number: u64, bytes: usize) -> Result<Vec<LoggedEvent>, Missing> {
        if number < self.floor || number > self.last {
            return Err(Missing);
        }
        let start = self.events.partition_point(|it| it.number <= number);
        let mut left = bytes;
        let fits = |event: &LoggedEvent| {
            let fits = left > 0;
            left = left.saturating_sub(event.frame.len());
            fits
        };
        let rest = |event: &LoggedEvent| {
            let split = (event.first <= number).then(|| event.split(&self.run, number));
            let tail = split.flatten().map(|(_, tail)| tail);
            tail.unwrap_or_else(|| event.clone())
        };
        let events = self.events.iter().skip(start).map(rest);
        Ok(events.take_while(fits).collect())
    }

    /// The events of the turn of the event with this number, up to it.
    pub(crate) fn turn_until(&self, number: u64) -> Vec<LoggedEvent> {
        let end = self.events.partition_point(|it| it.number <= number);
        let until = self.events.iter().take(end);
        let is_start = |it: &LoggedEvent| matches!(*it.event, ChatEvent::TurnStarted { .. });
        let Some(start) = until.clone().rposition(is_start) else {
            return Vec::new();
        };
        let mut events: Vec<LoggedEvent> = until.skip(start).cloned().collect();
        let next = self.events.get(end).filter(|it| it.first <= number);
        let seen = next.and_then(|event| event.split(&self.run, number));
        events.extend(seen.map(|(head, _)| head));
        events
    }
}

#[cfg(test)]
mod tests {
    use prowess_agent::wire::AgentEvent;

    use super::*;

    fn text(delta: &str) -> ChatEvent {
        let delta = delta.to_owned();
        ChatEvent::Agent(AgentEvent::Text { delta })
    }

    fn said(events: &[LoggedEvent]) -> String {
        let parts = events.iter().filter_map(|it| delta(&it.event));
        parts.map(|(_, text)| text).collect()
    }

    #[test]
    fn older_turns_are_forgotten_first() {
        let mut log = EventLog::new(Run::new().unwrap(), 0, 0);
        for _ in 0..10 {
            log.push(Some(1), text("old"), None);
        }
        for _ in 0..LOG_EVENTS {
            log.push(Some(2), text("x"), Some(10));
        }
        assert_eq!(log.after(9, usize::MAX).unwrap_err(), Missing);
        let turn = log.after(10, usize::MAX).unwrap();
        assert_eq!(turn.len(), LOG_EVENTS);
        assert_eq!(log.after(log.last(), usize::MAX).unwrap().len(), 0);
        assert!(log.after(log.last() + 1, usize::MAX).is_err());
        assert_eq!(log.after(10, 1).unwrap().len(), 1);
    }

    #[test]
    fn ch7_a_long_turn_is_joined_and_loses_nothing() {
        let mut log = EventLog::new(Run::new().unwrap(), 0, 0);
        let mut all = String::new();
        for number in 0..5 * LOG_EVENTS {
            let word = format!("{number} ");
            log.push(Some(1), text(&word), Some(0));
            all.push_str(&word);
        }
        let events = log.after(0, usize::MAX).unwrap();
        assert!(events.len() <= LOG_EVENTS);
        assert_eq!(said(&events), all);
        // A reader can continue within joined events; the newest are there one by one.
        for seen in [1, 5, LOG_EVENTS, 3 * LOG_EVENTS] {
            let head = log.turn_until(seen as u64);
            assert!(head.is_empty(), "the turn has no start here");
            let words: Vec<String> = (0..seen).map(|number| format!("{number} ")).collect();
            let rest = log.after(seen as u64, usize::MAX).unwrap();
            assert_eq!(words.concat() + &said(&rest), all);
        }
        let near = log.after(log.last() - 100, usize::MAX).unwrap();
        assert_eq!(near.len(), 100);
    }

    #[test]
    fn bytes_are_bounded() {
        let mut log = EventLog::new(Run::new().unwrap(), 0, 0);
        let quarter = "x".repeat(LOG_BYTES / 4);
        for _ in 0..8 {
            log.push(Some(1), text(&quarter), Some(0));
            assert!(log.bytes <= LOG_BYTES);
        }
        assert!(log.floor() > 0);
        log.shrink();
        assert_eq!((log.bytes, log.floor()), (0, log.last()));
    }
}
