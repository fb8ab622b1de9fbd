//! The task of a chat: it owns the agent and its conversation, and does what the commands say, one after the other.

use std::sync::Arc;

use prowess_agent::limits::SAVE_PAUSE;
use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Cancel, Chat, Ending, Saved};
use prowess_core::SkillId;
use prowess_runtime::Runtime;
use prowess_store::StoreError;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::approver::ChatApprover;
use super::command::{Command, TurnRequest};
use super::content::Content;
use super::event::ChatEvent;
use super::host::{ChatAgent, ChatHost};
use super::live_chat::LiveChat;
use super::live_table::Lease;
use super::saved::content;
use crate::limits::CHAT_IDLE;

/// The task of a chat.
pub(crate) struct ChatTask {
    chat: Arc<LiveChat>,
    /// The chat stays in memory.
    _lease: Lease,
    host: Arc<dyn ChatHost>,
    commands: UnboundedReceiver<Command>,
    opened: Option<OpenedChat>,
    is_detached: bool,
    /// The chat is one of those that may be open at once.
    _permit: OwnedSemaphorePermit,
}

/// A conversation with its agent.
struct OpenedChat {
    conversation: Chat,
    runtime: Option<Runtime>,
    /// Skills that the first turn activates.
    first: Vec<SkillId>,
}

impl ChatTask {
    pub(crate) fn new(
        lease: Lease,
        host: Arc<dyn ChatHost>,
        commands: UnboundedReceiver<Command>,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            chat: Arc::clone(lease.chat()),
            _lease: lease,
            host,
            commands,
            opened: None,
            is_detached: false,
            _permit: permit,
        }
    }

    /// Works until the chat is not used for a while, or is closed.
    pub(crate) async fn run(mut self) {
        let mut ends = Vec::new();
        loop {
            let command = if ends.is_empty() && self.has_unsaved() {
                let Ok(command) = timeout(SAVE_PAUSE, self.commands.recv()).await else {
                    self.save_again().await;
                    continue;
                };
                command
            } else if ends.is_empty() {
                let command = timeout(CHAT_IDLE, self.commands.recv()).await;
                command.unwrap_or_else(|_| {
                    self.chat.shrink();
                    None
                })
            } else {
                None
            };
            // A command that came at the last moment is still carried out.
            let command = command.or_else(|| self.chat.detach(&mut self.commands));
            match command {
                Some(Command::Turn(request, cancel)) => self.turn(request, &cancel).await,
                Some(Command::Undo(answer)) => {
                    let _ = answer.send(self.undo().await);
                }
                Some(Command::Close(end)) => ends.push(end),
                None => break,
            }
        }
        self.is_detached = true;
        self.shut_down().await;
    }

    fn has_unsaved(&self) -> bool {
        let opened = self.opened.as_ref();
        opened.is_some_and(|opened| !opened.conversation.unsaved().is_empty())
    }

    /// Tries to save what a turn left unsaved.
    async fn save_again(&mut self) {
        let Some(opened) = &mut self.opened else {
            return;
        };
        match opened.conversation.save_again().await {
            Ok(()) => self.chat.push(ChatEvent::Agent(AgentEvent::Saved)),
            Err(StoreError::ChatChanged { .. }) => self.reload().await,
            // The clients know already.
            Err(_) => {}
        }
    }

    async fn shut_down(&mut self) {
        if let Some(runtime) = self.opened.take().and_then(|it| it.runtime) {
            runtime.shut_down().await;
        }
    }

    /// Opens the chat unless it is open.
    async fn open(&mut self) -> Result<&mut OpenedChat, String> {
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => open(&self.chat, &self.host).await?,
        };
        self.chat.set_unsaved(opened.conversation.unsaved());
        Ok(self.opened.insert(opened))
    }

    async fn turn(&mut self, request: TurnRequest, cancel: &Cancel) {
        let chat = Arc::clone(&self.chat);
        let opened = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                chat.finish(None, Ending::Cancelled, true);
                return;
            }
            opened = self.open() => opened,
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(reason) => return chat.fail(None, reason),
        };
        let first = std::mem::take(&mut opened.first);
        let references = [first.clone(), request.references].concat();
        let emit = |event| chat.push(ChatEvent::Agent(event));
        let conversation = &mut opened.conversation;
        let turn = conversation.turn(&request.text, &references, &emit, cancel);
        let (saved, ended) = match turn.await {
            Ok(report) => (report.saved, Ok((report.ending, report.is_nothing()))),
            // It was told already.
            Err(AgentError::Provider(_)) => (Saved::Yes, Ok((Ending::Failed, true))),
            Err(AgentError::Store(error @ StoreError::ChatChanged { .. })) => {
                (Saved::Elsewhere, Err(error.to_string()))
            }
            Err(error) => (Saved::Yes, Err(error.to_string())),
        };
        if opened.conversation.entries().next().is_none() {
            // The next turn is the first one.
            opened.first = first;
        }
        let content = content_of(&opened.conversation);
        match ended {
            Ok((ending, discarded)) => chat.finish(Some(content), ending, discarded),
            Err(reason) => chat.fail(Some(content), reason),
        }
        if saved == Saved::Elsewhere {
            self.reload().await;
        }
    }

    /// Another process changed the chat: what is in the store counts.
    async fn reload(&mut self) {
        self.shut_down().await;
        if let Ok(stored) = self.host.store().chat(&self.chat.id).await
            && let Ok(content) = content(&stored)
        {
            self.chat
                .replace(content, "another process changed the chat");
        }
    }

    async fn undo(&mut self) -> Result<Option<String>, String> {
        let conversation = &mut self.open().await?.conversation;
        let undone = conversation.undo().await;
        let content = content_of(conversation);
        match undone {
            Ok(Some(text)) => {
                self.chat.replace(content, "the last turn was removed");
                Ok(Some(text))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                if matches!(error, AgentError::Store(StoreError::ChatChanged { .. })) {
                    self.reload().await;
                }
                Err(error.to_string())
            }
        }
    }
}

impl Drop for ChatTask {
    /// A task that panics must not leave a chat that waits for ever.
    fn drop(&mut self) {
        if self.is_detached {
            return;
        }
        if self.chat.is_busy() {
            self.chat
                .fail(None, "the turn ended unexpectedly".to_owned());
        }
        while self.chat.detach(&mut self.commands).is_some() {}
    }
}

async fn open(chat: &Arc<LiveChat>, host: &Arc<dyn ChatHost>) -> Result<OpenedChat, String> {
    let approver = ChatApprover {
        chat: Arc::clone(chat),
        host: Arc::clone(host),
    };
    let ChatAgent { agent, runtime } = host.agent(Arc::new(approver)).await?;
    let stored = host.store().chat(&chat.id).await;
    let stored = stored.map_err(|error| error.to_string())?;
    // A chat without a turn was created with skills that its first turn activates.
    let (conversation, first) = if stored.version == 0 {
        (agent.chat_named(chat.id.clone()), stored.active)
    } else {
        let resumed = agent.resume(&chat.id).await;
        (resumed.map_err(|error| error.to_string())?, Vec::new())
    };
    Ok(OpenedChat {
        conversation,
        runtime,
        first,
    })
}

fn content_of(conversation: &Chat) -> Content {
    Content::new(conversation.entries().cloned(), conversation.active())
}
