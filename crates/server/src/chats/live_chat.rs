//! A chat that is in use: its events, its questions and its running turn, shared by its task and its readers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prowess_agent::wire::AgentEvent;
use prowess_agent::{Cancel, Ending};
use prowess_store::ChatId;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, oneshot, watch};
use tokio::time::timeout;

use super::command::{Command, Refusal, StartedTurn, TurnRequest};
use super::content::{Content, View};
use super::event::{AnswerReason, ChatEvent, Question};
use super::event_id::Run;
use super::host::OnDisconnect;
use super::log::{EventLog, LoggedEvent, Missing};
use super::questions::{AnswerRefusal, QuestionTable};
use crate::limits::QUESTION;

/// A chat that is in use.
pub(crate) struct LiveChat {
    pub(crate) id: ChatId,
    state: Mutex<State>,
    /// The number of the last event.
    changed: watch::Sender<u64>,
}

struct State {
    log: EventLog,
    /// The last event of any chat when this one came into use.
    began: u64,
    content: Content,
    turn: Option<RunningTurn>,
    task: Option<UnboundedSender<Command>>,
    used: Instant,
    questions: QuestionTable,
    readers: usize,
    is_deleted: bool,
}

struct RunningTurn {
    number: u64,
    cancel: Cancel,
    on_disconnect: OnDisconnect,
    after: u64,
    /// One of the turns that may run at once.
    _permit: OwnedSemaphorePermit,
}

impl State {
    fn push(&mut self, event: ChatEvent) {
        let turn = self.turn.as_ref();
        let number = turn.map(|turn| turn.number);
        self.log.push(number, event, turn.map(|turn| turn.after));
    }

    fn is_busy(&self) -> bool {
        self.turn.is_some()
    }
}

impl LiveChat {
    pub(crate) fn new(id: ChatId, run: Run, floor: u64, content: Content) -> Self {
        let last = run.current();
        Self {
            id,
            changed: watch::Sender::new(last),
            state: Mutex::new(State {
                log: EventLog::new(run, floor, last),
                began: last,
                content,
                turn: None,
                task: None,
                used: Instant::now(),
                questions: QuestionTable::default(),
                readers: 0,
                is_deleted: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes readers if there are new events.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let done = change(&mut state);
        let last = state.log.last();
        drop(state);
        self.changed.send_if_modified(|known| {
            let is_new = *known < last;
            *known = last.max(*known);
            is_new
        });
        done
    }

    pub(crate) fn push(&self, event: ChatEvent) {
        self.change(|state| state.push(event));
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn after(&self, number: u64, bytes: usize) -> Result<Vec<LoggedEvent>, Missing> {
        self.state().log.after(number, bytes)
    }

    pub(crate) fn turn_until(&self, number: u64) -> Vec<LoggedEvent> {
        self.state().log.turn_until(number)
    }

    pub(crate) fn view(&self) -> View {
        let state = self.state();
        let turn = state.turn.as_ref();
        // The events of a running turn come after what is complete.
        let last = turn.map_or(state.log.last(), |turn| turn.after.max(state.log.floor()));
        View {
            content: state.content.clone(),
            state: match (turn, state.questions.is_empty()) {
                (None, _) => "idle",
                (Some(_), true) => "running",
                (Some(_), false) => "waiting",
            },
            turn: turn.map(|turn| turn.number),
            questions: state.questions.open(),
            last_event: last,
        }
    }

    /// Whether a turn runs.
    pub(crate) fn is_busy(&self) -> bool {
        self.state().is_busy()
    }

    /// When the chat was last used, if it has a task that could be ended.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        (state.task.is_some() && !state.is_busy()).then_some(state.used)
    }

    pub(crate) fn has_task(&self) -> bool {
        self.state().task.is_some()
    }

    /// Whether it has had events.
    pub(crate) fn has_events(&self) -> bool {
        let state = self.state();
        state.log.last() > state.began
    }

    /// Gives the chat a task, unless it has one; returns whether it has got this one.
    pub(crate) fn attach(&self, commands: UnboundedSender<Command>) -> bool {
        let mut state = self.state();
        let is_free = state.task.is_none();
        if is_free {
            state.task = Some(commands);
        }
        is_free
    }

    /// Starts a turn in the task of the chat.
    pub(crate) fn start(
        &self,
        request: TurnRequest,
        model: String,
        permit: OwnedSemaphorePermit,
    ) -> Result<StartedTurn, Refusal> {
        self.change(|state| {
            refuse(state)?;
            let Some(task) = state.task.clone() else {
                return Err(Refusal::Closing);
            };
            let started = StartedTurn {
                number: state.content.turns() + 1,
                after: state.log.last(),
            };
            let cancel = Cancel::new();
            state.turn = Some(RunningTurn {
                number: started.number,
                cancel: cancel.clone(),
                on_disconnect: request.on_disconnect,
                after: started.after,
                _permit: permit,
            });
            state.push(ChatEvent::TurnStarted {
                model,
                run: request.run.clone(),
            });
            state.push(ChatEvent::UserMessage {
                text: request.text.clone(),
                references: request.references.clone(),
            });
            let _ = task.send(Command::Turn(request, cancel));
            Ok(started)
        })
    }

    /// Asks the task to remove the last turn.
    pub(crate) fn undo(
        &self,
    ) -> Result<oneshot::Receiver<Result<Option<String>, String>>, Refusal> {
        let state = self.state();
        refuse(&state)?;
        let (sender, receiver) = oneshot::channel();
        match &state.task {
            Some(task) => {
                let _ = task.send(Command::Undo(sender));
                Ok(receiver)
            }
            None => Err(Refusal::Closing),
        }
    }

    /// Cancels the running turn; without one nothing happens.
    pub(crate) fn cancel(&self) {
        if let Some(turn) = &self.state().turn {
            turn.cancel.cancel();
        }
    }

    /// Asks the task to end. What is returned is done when it has ended.
    pub(crate) fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        let (ended, end) = oneshot::channel();
        if let Some(task) = &self.state().task {
            let _ = task.send(Command::Close(ended));
        }
        async {
            let _ = end.await;
        }
    }

    /// Accepts no further turns, or accepts them again.
    pub(crate) fn set_deleted(&self, is_deleted: bool) {
        self.state().is_deleted = is_deleted;
    }

    /// Ends a turn: its messages are part of the chat now, and its last event says so.
    pub(crate) fn finish(&self, content: Option<Content>, ending: Ending, discarded: bool) {
        self.change(|state| {
            if let Some(content) = content {
                state.content = content;
            }
            if state.turn.is_some() {
                state.push(ChatEvent::TurnFinished { ending, discarded });
                state.turn = None;
            }
            state.used = Instant::now();
        });
    }

    /// A turn ends before the agent could say so.
    pub(crate) fn fail(&self, content: Option<Content>, reason: String) {
        self.push(ChatEvent::Agent(AgentEvent::Failed { reason }));
        self.push(ChatEvent::Agent(AgentEvent::Done {
            ending: Ending::Failed,
            text: String::new(),
            rounds: 0,
        }));
        self.finish(content, Ending::Failed, true);
    }

    /// Something else than a turn changed the chat.
    pub(crate) fn replace(&self, content: Content, reason: &'static str) {
        self.change(|state| {
            state.content = content;
            state.push(ChatEvent::ChatChanged { reason });
            state.used = Instant::now();
        });
    }

    /// Uses little memory for events from now on.
    pub(crate) fn shrink(&self) {
        self.state().log.shrink();
    }

    /// The task ends, unless a command is waiting.
    pub(crate) fn detach(&self, commands: &mut UnboundedReceiver<Command>) -> Option<Command> {
        let mut state = self.state();
        if let Ok(command) = commands.try_recv() {
            return Some(command);
        }
        state.task = None;
        None
    }

    pub(crate) fn add_reader(&self) {
        self.state().readers += 1;
    }

    /// A stream is gone. The last one may take the turn along.
    pub(crate) fn remove_reader(&self) {
        let mut state = self.state();
        state.readers = state.readers.saturating_sub(1);
        if state.readers == 0
            && let Some(turn) = &state.turn
            && turn.on_disconnect == OnDisconnect::Cancel
        {
            turn.cancel.cancel();
        }
    }

    /// Asks the user; none if no user answers in time.
    pub(crate) async fn ask(&self, question: Question) -> Option<String> {
        let id = question.id.clone();
        let answered = self.change(|state| {
            state.push(ChatEvent::Question(question.clone()));
            state.questions.add(question)
        });
        // Closes the question also when this future is dropped.
        let mut closing = ClosingQuestion {
            chat: self,
            id,
            reason: AnswerReason::Cancelled,
        };
        let answer = timeout(QUESTION, answered).await;
        if answer.is_err() {
            closing.reason = AnswerReason::TimedOut;
        }
        answer.ok()?.ok()
    }

    /// Answers a question.
    pub(crate) fn answer(&self, id: &str, choice: &str) -> Result<(), AnswerRefusal> {
        self.change(|state| {
            state.questions.answer(id, choice)?;
            state.push(ChatEvent::QuestionAnswered {
                id: id.to_owned(),
                choice: Some(choice.to_owned()),
                reason: AnswerReason::Answered,
            });
            Ok(())
        })
    }
}

fn refuse(state: &State) -> Result<(), Refusal> {
    if state.is_deleted {
        return Err(Refusal::Deleted);
    }
    if state.is_busy() {
        return Err(Refusal::TurnRunning);
    }
    Ok(())
}

/// Closes a question that was not answered.
struct ClosingQuestion<'c> {
    chat: &'c LiveChat,
    id: String,
    reason: AnswerReason,
}

impl Drop for ClosingQuestion<'_> {
    fn drop(&mut self) {
        self.chat.change(|state| {
            if state.questions.remove(&self.id) {
                state.push(ChatEvent::QuestionAnswered {
                    id: self.id.clone(),
                    choice: None,
                    reason: self.reason,
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use prowess_store::ChatId;

    use super::super::event::{Choice, QuestionKind};
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ch10_a_question_times_out() {
        let run = Run::new().unwrap();
        let chat = LiveChat::new(ChatId::named("c"), run, 0, Content::default());
        let (id, title) = ("once", "Allow once");
        let question = Question {
            id: "q".to_owned(),
            kind: QuestionKind::Skill,
            skill: "s".parse().unwrap(),
            text: String::new(),
            details: None,
            choices: vec![Choice { id, title }],
        };
        assert_eq!(chat.ask(question).await, None);
        assert_eq!(chat.answer("q", "once"), Err(AnswerRefusal::Closed));
        let events = chat.after(0, usize::MAX).unwrap();
        let closed = ChatEvent::QuestionAnswered {
            id: "q".to_owned(),
            choice: None,
            reason: AnswerReason::TimedOut,
        };
        assert_eq!(*events.last().unwrap().event, closed);
    }
}
