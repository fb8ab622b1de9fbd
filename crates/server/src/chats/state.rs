//! The state of a chat that is in use. It is changed under one lock, so that what a client fetches and what it then reads
//! fit together.

use std::time::Instant;

use prowess_agent::{Cancel, Ending, Unsaved};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::UnboundedSender;

use super::command::{Command, Refusal, StartedTurn, TurnRequest};
use super::content::{Content, View};
use super::event::ChatEvent;
use super::event_id::Run;
use super::host::OnDisconnect;
use super::log::EventLog;
use super::questions::QuestionTable;

/// The state of a chat that is in use.
pub(crate) struct State {
    pub(crate) log: EventLog,
    /// The last event of any chat when this one came into use.
    began: u64,
    content: Content,
    turn: Option<RunningTurn>,
    pub(crate) task: Option<UnboundedSender<Command>>,
    used: Instant,
    pub(crate) questions: QuestionTable,
    pub(crate) readers: usize,
    pub(crate) is_deleted: bool,
    /// What the conversation of the task has not saved yet.
    pub(crate) unsaved: Unsaved,
}

struct RunningTurn {
    number: u64,
    cancel: Cancel,
    on_disconnect: OnDisconnect,
    /// The event before its first.
    after: u64,
    /// One of the turns that may run at once.
    _permit: OwnedSemaphorePermit,
}

impl State {
    pub(crate) fn new(run: Run, floor: u64, content: Content) -> Self {
        let last = run.current();
        Self {
            log: EventLog::new(run, floor, last),
            began: last,
            content,
            turn: None,
            task: None,
            used: Instant::now(),
            questions: QuestionTable::default(),
            readers: 0,
            is_deleted: false,
            unsaved: Unsaved::default(),
        }
    }

    pub(crate) fn push(&mut self, event: ChatEvent) {
        let turn = self.turn.as_ref();
        let number = turn.map(|turn| turn.number);
        self.log.push(number, event, turn.map(|turn| turn.after));
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether it has had events.
    pub(crate) fn has_events(&self) -> bool {
        self.log.last() > self.began
    }

    /// When the chat was last used, if it has a task that could be ended.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let is_idle = !self.is_busy() && self.unsaved.is_empty();
        (self.task.is_some() && is_idle).then_some(self.used)
    }

    pub(crate) fn view(&self) -> View {
        let turn = self.turn.as_ref();
        View {
            content: self.content.clone(),
            state: match (turn, self.questions.is_empty()) {
                (None, _) => "idle",
                (Some(_), true) => "running",
                (Some(_), false) => "waiting",
            },
            is_saved: self.unsaved.is_empty(),
            turn: turn.map(|turn| turn.number),
            questions: self.questions.open(),
            // The events of a running turn come after what is complete.
            last_event: turn.map_or(self.log.last(), |turn| turn.after.max(self.log.floor())),
        }
    }

    /// The task, if it may be asked for something.
    pub(crate) fn free_task(&self) -> Result<UnboundedSender<Command>, Refusal> {
        if self.is_deleted {
            return Err(Refusal::Deleted);
        }
        if self.is_busy() {
            return Err(Refusal::TurnRunning);
        }
        self.task.clone().ok_or(Refusal::Closing)
    }

    /// Starts a turn in the task of the chat.
    pub(crate) fn start(
        &mut self,
        request: TurnRequest,
        model: String,
        permit: OwnedSemaphorePermit,
    ) -> Result<StartedTurn, Refusal> {
        let task = self.free_task()?;
        let started = StartedTurn {
            number: self.content.turns() + 1,
            after: self.log.last(),
        };
        let cancel = Cancel::new();
        self.turn = Some(RunningTurn {
            number: started.number,
            cancel: cancel.clone(),
            on_disconnect: request.on_disconnect,
            after: started.after,
            _permit: permit,
        });
        self.push(ChatEvent::TurnStarted {
            model,
            run: request.run.clone(),
        });
        self.push(ChatEvent::UserMessage {
            text: request.text.clone(),
            references: request.references.clone(),
        });
        let _ = task.send(Command::Turn(request, cancel));
        Ok(started)
    }

    /// Ends a turn: its messages are part of the chat now, and its last event says so.
    pub(crate) fn finish(&mut self, content: Option<Content>, ending: Ending, discarded: bool) {
        if let Some(content) = content {
            self.content = content;
        }
        if self.turn.is_some() {
            self.push(ChatEvent::TurnFinished { ending, discarded });
            self.turn = None;
        }
        self.used = Instant::now();
    }

    /// Something else than a turn changed the chat.
    pub(crate) fn replace(&mut self, content: Content, reason: &'static str) {
        self.content = content;
        self.push(ChatEvent::ChatChanged { reason });
        self.used = Instant::now();
    }

    /// Cancels the running turn; without one nothing happens.
    pub(crate) fn cancel(&self) {
        if let Some(turn) = &self.turn {
            turn.cancel.cancel();
        }
    }

    /// A stream is gone. The last one may take the turn along.
    pub(crate) fn remove_reader(&mut self) {
        self.readers = self.readers.saturating_sub(1);
        let turn = self.turn.as_ref();
        if self.readers == 0 && turn.is_some_and(|it| it.on_disconnect == OnDisconnect::Cancel) {
            self.cancel();
        }
    }
}
