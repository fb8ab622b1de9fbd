//! Restores a saved chat: results of skills are requested again.

use prowess_core::SkillId;
use prowess_store::{Chat as Stored, ChatId};

use crate::agent::Agent;
use crate::chat::Chat;
use crate::error::AgentError;
use crate::history::{Line, Replied};
use crate::provider::{ToolCall, ToolReply};
use crate::tools::again;
use crate::wire::{ChatEntry, KeptReply};

impl Agent {
    /// Continues a saved chat. Code that is approved is active again; nothing is asked.
    pub async fn resume(&self, id: &ChatId) -> Result<Chat, AgentError> {
        let store = self.inner.store.as_ref().ok_or(AgentError::NoStore)?;
        let stored = store.chat(id).await?;
        let mut chat = replay(self.clone(), entries(&stored)?, &stored.active).await;
        let saved = stored.summary.model;
        if saved.is_some() && saved != self.inner.options.saved_model {
            chat.forget_states();
        }
        if let Some(code_skills) = &self.inner.code_skills {
            chat.pending = code_skills.reactivate(&stored.code_active).await;
        }
        chat.keep(stored.summary.id, stored.version);
        Ok(chat)
    }

    /// Continues a copy of a saved chat, with the same messages and active skills.
    pub async fn fork(&self, id: &ChatId) -> Result<Chat, AgentError> {
        let store = self.inner.store.as_ref().ok_or(AgentError::NoStore)?;
        let fork = store.fork_chat(id).await?;
        self.resume(&fork).await
    }
}

/// The messages of a stored chat.
fn entries(stored: &Stored) -> Result<Vec<ChatEntry>, AgentError> {
    let entry = |(number, text): (usize, &String)| {
        serde_json::from_str(text).map_err(|error| AgentError::Unreadable {
            id: stored.summary.id.to_string(),
            number,
            reason: error.to_string(),
        })
    };
    stored.messages.iter().enumerate().map(entry).collect()
}

/// Restores a chat from its messages and the skills that were active besides. Messages contain no instructions, so the
/// current ones of the skills are used.
pub(crate) async fn replay(agent: Agent, entries: Vec<ChatEntry>, active: &[SkillId]) -> Chat {
    let mut chat = Chat::new(agent);
    let mut calls: Vec<ToolCall> = Vec::new();
    for (number, entry) in entries.into_iter().enumerate() {
        let line = match entry {
            ChatEntry::User {
                text,
                references,
                run,
            } => chat.said(&text, &references, run).await,
            ChatEntry::Model {
                text,
                calls: made,
                state,
                cut,
            } => {
                calls.clone_from(&made);
                Line::model(text, made, state, cut)
            }
            ChatEntry::Tools { replies } => {
                let mut all = Vec::new();
                for kept in replies {
                    all.push(reply(&mut chat, kept, &calls).await);
                }
                Line::tools(all)
            }
            ChatEntry::Compacted { from, summary } => {
                chat.view.from = from.min(number);
                chat.view.summary.clone_from(&summary);
                Line::compacted(from, summary)
            }
        };
        chat.lines.push(line);
    }
    for id in active {
        chat.session.activate(id);
    }
    chat.view
        .rebuild(&chat.session, &chat.lines, &chat.in_prompt)
        .await;
    chat
}

async fn reply(chat: &mut Chat, kept: KeptReply, calls: &[ToolCall]) -> Replied {
    let KeptReply {
        call,
        tool,
        content,
        is_error,
    } = kept;
    let with = |content: String, is_error: bool, again: bool, skill: Option<SkillId>| Replied {
        reply: ToolReply {
            call: call.clone(),
            tool: tool.clone(),
            content,
            is_error,
        },
        again,
        skill,
    };
    if let Some(content) = content {
        return with(content, is_error, false, None);
    }
    let Some(made) = calls.iter().find(|made| made.id == call) else {
        return with("[This result was not saved.]".to_owned(), true, true, None);
    };
    let (content, is_error, loaded) = again(&chat.session, made).await;
    if let Some((id, bytes)) = &loaded {
        chat.ledger.loaded(&chat.agent.inner.skills, id, *bytes);
    }
    with(content, is_error, true, loaded.map(|(id, _)| id))
}
