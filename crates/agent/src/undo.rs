//! Removing the last turn, and sending its message again.

use prowess_core::SkillId;

use crate::cancel::Cancel;
use crate::chat::Chat;
use crate::error::AgentError;
use crate::history::Line;
use crate::provider::Usage;
use crate::replay::replay;
use crate::turn::TurnReport;
use crate::wire::{AgentEvent, ChatEntry};

impl Chat {
    /// Removes the last turn, also from the store; its message, or `None` if there is no turn. Its cost stays counted.
    pub async fn undo(&mut self) -> Result<Option<String>, AgentError> {
        self.restore();
        self.check_unchanged().await?;
        let before = self.active();
        self.remember();
        let Some((text, _)) = self.cut_last_turn().await else {
            self.unfinished = None;
            return Ok(None);
        };
        if let Err(error) = self.save(Usage::default()).await {
            self.restore();
            return Err(error.into());
        }
        self.unfinished = None;
        if let Some(code_skills) = &self.agent.inner.code_skills {
            for id in before.iter().filter(|id| !self.session.is_active(id)) {
                code_skills.runtime.deactivate(id).await;
            }
        }
        Ok(Some(text))
    }

    /// Sends the message of the last turn again. The new turn replaces the old one, unless it ends without an answer.
    pub async fn retry(
        &mut self,
        emit: &(dyn Fn(AgentEvent) + Send + Sync),
        cancel: &Cancel,
    ) -> Result<TurnReport, AgentError> {
        self.restore();
        self.check_unchanged().await?;
        self.remember();
        let Some((text, references)) = self.cut_last_turn().await else {
            self.unfinished = None;
            return Err(AgentError::NoTurn);
        };
        self.run(&text, &references, emit, cancel).await
    }

    /// Forgets the last turn; its message and the skills that the program named with it.
    async fn cut_last_turn(&mut self) -> Option<(String, Vec<SkillId>)> {
        let start = self.lines.iter().rposition(Line::is_user)?;
        let removed = self.lines.split_off(start);
        let entries = self.lines.iter().map(|line| line.entry.clone()).collect();
        let earlier = replay(self.agent.clone(), entries, &[]).await;
        self.session = earlier.session;
        self.lines = earlier.lines;
        self.view = earlier.view;
        self.ledger = earlier.ledger;
        self.keep_only(start);
        let message = match removed.first().map(|line| &line.entry) {
            Some(ChatEntry::User {
                text, references, ..
            }) => Some((text.clone(), references.clone())),
            _ => None,
        };
        if let Some(before) = &mut self.unfinished {
            before.lines = start;
            before.replaced = removed;
        }
        message
    }
}
