//! The questions of a chat.

use std::collections::VecDeque;

use tokio::sync::oneshot;

use super::event::Question;
use crate::limits::CLOSED_QUESTIONS;

/// Why an answer is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerRefusal {
    Unknown,
    Closed,
    NotAChoice,
}

/// The open questions of a chat, and which ones are closed.
#[derive(Default)]
pub(crate) struct QuestionTable {
    open: Vec<OpenQuestion>,
    closed: VecDeque<String>,
}

struct OpenQuestion {
    question: Question,
    answer: oneshot::Sender<String>,
}

impl QuestionTable {
    pub(crate) fn open(&self) -> Vec<Question> {
        self.open.iter().map(|it| it.question.clone()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Opens a question; its answer comes to what is returned.
    pub(crate) fn add(&mut self, question: Question) -> oneshot::Receiver<String> {
        let (answer, answered) = oneshot::channel();
        self.open.push(OpenQuestion { question, answer });
        answered
    }

    /// Answers and closes a question.
    pub(crate) fn answer(&mut self, id: &str, choice: &str) -> Result<(), AnswerRefusal> {
        let Some(open) = self.open.iter().find(|it| it.question.id == id) else {
            return Err(if self.closed.iter().any(|it| it == id) {
                AnswerRefusal::Closed
            } else {
                AnswerRefusal::Unknown
            });
        };
        if !open.question.choices.iter().any(|it| it.id == choice) {
            return Err(AnswerRefusal::NotAChoice);
        }
        if let Some(open) = self.close(id) {
            let _ = open.answer.send(choice.to_owned());
        }
        Ok(())
    }

    /// Closes a question, if it is open.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.close(id).is_some()
    }

    fn close(&mut self, id: &str) -> Option<OpenQuestion> {
        let index = self.open.iter().position(|it| it.question.id == id)?;
        self.closed.push_back(id.to_owned());
        if self.closed.len() > CLOSED_QUESTIONS {
            self.closed.pop_front();
        }
        Some(self.open.remove(index))
    }
}
