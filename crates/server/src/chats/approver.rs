//! Asks the user of a chat for approvals.

use std::sync::Arc;

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_runtime::{
    ApprovalDecision, ApprovalRequest, Approver, CommandApprovalRequest, CommandDecision,
    ProtectedWriteRequest, WriteDecision,
};

use super::event::{Choice, Question, QuestionKind};
use super::host::{ChatHost, QuestionText};
use super::live_chat::LiveChat;
use crate::limits::QUESTION_CHARS;
use crate::token_table::digits;

/// Asks the clients of one chat.
pub(crate) struct ChatApprover {
    pub(crate) chat: Arc<LiveChat>,
    pub(crate) host: Arc<dyn ChatHost>,
}

pub(crate) const DENY: Choice = Choice {
    id: "deny",
    title: "Deny",
};
const ONCE: Choice = Choice {
    id: "once",
    title: "Allow once",
};
const ALWAYS: Choice = Choice {
    id: "always",
    title: "Always allow in this project",
};
const EVERYWHERE: Choice = Choice {
    id: "everywhere",
    title: "Always allow in every project",
};
const COMMAND: Choice = Choice {
    id: "always",
    title: "Always allow this command in this project",
};
const PROGRAM: Choice = Choice {
    id: "program",
    title: "Always allow this program with any arguments in this project",
};

impl ChatApprover {
    /// The id of the chosen answer; none if no user answers.
    async fn choose(
        &self,
        kind: QuestionKind,
        skill: &SkillId,
        text: QuestionText,
        choices: Vec<Choice>,
    ) -> Option<String> {
        // A random id: the answer to a question of an earlier run must not answer another one.
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).ok()?;
        let question = Question {
            id: digits(&bytes),
            kind,
            skill: skill.clone(),
            text: text.text,
            details: text
                .details
                .map(|it| it.chars().take(QUESTION_CHARS).collect()),
            choices,
        };
        self.chat.ask(question).await
    }
}

#[async_trait]
impl Approver for ChatApprover {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        let text = self.host.approval_text(&request);
        let mut choices = vec![DENY, ONCE, ALWAYS];
        choices.extend(request.may_count_everywhere().then_some(EVERYWHERE));
        let skill = &request.skill.id;
        let choice = self.choose(QuestionKind::Skill, skill, text, choices).await;
        match choice.as_deref() {
            Some("once") => ApprovalDecision::Once,
            Some("always") => ApprovalDecision::Always,
            Some("everywhere") => ApprovalDecision::Everywhere,
            Some(_) => ApprovalDecision::Deny,
            None => ApprovalDecision::Unavailable,
        }
    }

    async fn ask_command(&self, request: CommandApprovalRequest<'_>) -> CommandDecision {
        let text = self.host.command_text(&request);
        let mut choices = vec![DENY, ONCE];
        choices.extend(request.may_be_stored().then_some(COMMAND));
        choices.extend(request.program().map(|_| PROGRAM));
        let skill = request.skill;
        let choice = self
            .choose(QuestionKind::Command, skill, text, choices)
            .await;
        match choice.as_deref() {
            Some("once") => CommandDecision::Once,
            Some("always") => CommandDecision::AlwaysCommand,
            Some("program") => CommandDecision::AlwaysProgram,
            Some(_) => CommandDecision::Deny,
            None => CommandDecision::Unavailable,
        }
    }

    async fn ask_write(&self, request: ProtectedWriteRequest<'_>) -> WriteDecision {
        let text = self.host.write_text(&request);
        if text.text.chars().count() > QUESTION_CHARS {
            // What is not shown cannot be allowed.
            return WriteDecision::Unavailable;
        }
        let choices = vec![DENY, ONCE];
        let skill = request.skill;
        let choice = self.choose(QuestionKind::Write, skill, text, choices).await;
        match choice.as_deref() {
            Some("once") => WriteDecision::Once,
            Some(_) => WriteDecision::Deny,
            None => WriteDecision::Unavailable,
        }
    }
}
