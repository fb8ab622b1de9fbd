//! The approver of `eval`, which asks before the first chat only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use prowess_runtime::{ApprovalDecision, ApprovalRequest, Approver};

use crate::code_skills::TerminalApprover;

/// The approver before the runs start: later there are no questions, and a progress bar uses the terminal.
#[derive(Clone, Default)]
pub(super) struct StartupApprover(Arc<AtomicBool>);

impl StartupApprover {
    /// Asks no more questions from here on.
    pub(super) fn close(&self) {
        self.0.store(true, Ordering::Release);
    }
}

#[async_trait]
impl Approver for StartupApprover {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        if self.0.load(Ordering::Acquire) {
            return ApprovalDecision::Unavailable;
        }
        TerminalApprover.ask(request).await
    }
}
