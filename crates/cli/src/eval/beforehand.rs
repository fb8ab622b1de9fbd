//! Questions are asked before the first chat, and none in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use prowess_runtime::{ApprovalDecision, Approver, Question};

use crate::code_skills::TerminalApprover;

/// Whoever sits at the terminal, until it begins: nobody watches hours of chats for a question, and a bar is drawn there.
#[derive(Clone, Default)]
pub(super) struct Beforehand(Arc<AtomicBool>);

impl Beforehand {
    /// From now on nobody is asked.
    pub(super) fn is_over(&self) {
        self.0.store(true, Ordering::Release);
    }
}

#[async_trait]
impl Approver for Beforehand {
    async fn ask(&self, question: Question<'_>) -> ApprovalDecision {
        if self.0.load(Ordering::Acquire) {
            return ApprovalDecision::Unavailable;
        }
        TerminalApprover.ask(question).await
    }
}
