//! A chat that is in use: its events, its questions and its running turn, shared by its task and its readers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prowess_agent::wire::AgentEvent;
use prowess_agent::{Ending, Unsaved, UnsavedMessages};
use prowess_store::ChatId;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, oneshot, watch};
use tokio::time::timeout;

use super::command::{Command, Refusal, StartedTurn, TurnRequest};
use super::content::{Content, View};
use super::event::{AnswerReason, ChatEvent, Question};
use super::event_id::Run;
use super::log::Missing;
use super::logged_event::LoggedEvent;
use super::questions::AnswerRefusal;
use super::state::State;
use crate::limits::QUESTION;

/// A chat that is in use.
pub(crate) struct LiveChat {
    pub(crate) id: ChatId,
    state: Mutex<State>,
    /// The number of the last event.
    changed: watch::Sender<u64>,
}

impl LiveChat {
    pub(crate) fn new(id: ChatId, run: Run, floor: u64, content: Content) -> Self {
        Self {
            id,
            changed: watch::Sender::new(run.current()),
            state: Mutex::new(State::new(run, floor, content)),
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
        self.state().view()
    }

    /// What a conversation has that the store has not, until another conversation replaces it.
    pub(crate) fn set_unsaved(&self, unsaved: Unsaved) {
        self.state().unsaved = unsaved;
    }

    /// What the store has not.
    pub(crate) fn unsaved(&self) -> Option<UnsavedMessages> {
        self.state().unsaved.messages()
    }

    /// Whether a turn runs.
    pub(crate) fn is_busy(&self) -> bool {
        self.state().is_busy()
    }

    /// When the chat was last used, if it has a task that could be ended.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        self.state().idle_since()
    }

    pub(crate) fn has_task(&self) -> bool {
        self.state().task.is_some()
    }

    /// Whether it has had events.
    pub(crate) fn has_events(&self) -> bool {
        self.state().has_events()
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
        self.change(|state| state.start(request, model, permit))
    }

    /// Asks the task to remove the last turn.
    pub(crate) fn undo(
        &self,
    ) -> Result<oneshot::Receiver<Result<Option<String>, String>>, Refusal> {
        let (sender, receiver) = oneshot::channel();
        let _ = self.state().free_task()?.send(Command::Undo(sender));
        Ok(receiver)
    }

    /// Cancels the running turn; without one nothing happens.
    pub(crate) fn cancel(&self) {
        self.state().cancel();
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
        self.change(|state| state.finish(content, ending, discarded));
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
        self.change(|state| state.replace(content, reason));
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
        self.state().remove_reader();
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
