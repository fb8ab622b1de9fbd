//! A conversation with an agent.

use std::sync::Arc;

use prowess_core::{Event, Session, SkillId};
use prowess_store::{ChatId, ChatTurn, SkillUses, StoreError, Tokens};

use crate::account::Ledger;
use crate::agent::Agent;
use crate::error::AgentError;
use crate::history::Line;
use crate::limits::TITLE_CHARS;
use crate::options::AgentOptions;
use crate::prompt::CatalogText;
use crate::provider::{Message, Usage};
use crate::unsaved::{Unsaved, UnsavedMessages};
use crate::view::View;
use crate::wire::{AgentEvent, ChatEntry, WorkflowRun};
use crate::workflow::result_text;

/// A conversation. Dropping it loses nothing: whole turns are in the store, if the agent has one.
pub struct Chat {
    pub(crate) agent: Agent,
    pub(crate) session: Session,
    pub(crate) lines: Vec<Line>,
    pub(crate) view: View,
    pub(crate) ledger: Ledger,
    /// Skills whose instructions are in the system prompt.
    pub(crate) in_prompt: Vec<SkillId>,
    pub(crate) catalog_text: CatalogText,
    /// The prompt fragments of active skills, and the skills that they belong to.
    pub(crate) fragments: Option<(Vec<SkillId>, String)>,
    /// Events that the next turn reports.
    pub(crate) pending: Vec<AgentEvent>,
    /// Events that are not reported again.
    pub(crate) reported: Vec<AgentEvent>,
    /// Whether handlers heard that the conversation begins.
    pub(crate) begun: bool,
    /// The size of the context window, if it turned out to be smaller than configured.
    pub(crate) window: Option<usize>,
    kept: Option<Kept>,
    unsaved: Unsaved,
    /// The state before a turn that is not finished, to roll back a turn that was dropped.
    pub(crate) unfinished: Option<Before>,
}

/// Where a chat is saved.
struct Kept {
    id: ChatId,
    version: u64,
    /// Messages that the store has as well.
    lines: usize,
    /// Messages in the store; more than `lines` if a turn is being replaced.
    stored: usize,
    /// Active skills that are in the store.
    active: Vec<SkillId>,
    /// The cost of turns that are not stored yet.
    unpaid: Usage,
}

/// A chat as it was before a turn.
pub(crate) struct Before {
    session: Session,
    pub(crate) lines: usize,
    /// Messages that the turn replaces.
    pub(crate) replaced: Vec<Line>,
    /// Messages that the store had as well.
    kept: usize,
    view: View,
    ledger: Ledger,
}

impl Agent {
    /// Starts a chat. It is saved from its first turn on if the agent saves chats.
    pub fn chat(&self) -> Chat {
        if let Some(code_skills) = &self.inner.code_skills {
            // Denials of the last chat are asked about again.
            code_skills.runtime.approvals().forget_denials(None);
        }
        self.chat_named(ChatId::new())
    }

    /// The same with an id that no chat with a turn has.
    pub fn chat_named(&self, id: ChatId) -> Chat {
        let mut chat = Chat::new(self.clone());
        if self.inner.store.is_some() {
            chat.keep(id, 0);
        }
        chat
    }
}

impl Chat {
    pub(crate) fn new(agent: Agent) -> Self {
        let inner = &agent.inner;
        let session = inner.skills.session();
        let mut in_prompt = session.active();
        let mut ledger = Ledger::default();
        for block in &inner.preloaded {
            session.activate(&block.id);
            in_prompt.push(block.id.clone());
            ledger.loaded(&inner.skills, &block.id, block.text.len());
        }
        Self {
            session,
            lines: Vec::new(),
            view: View::default(),
            ledger,
            in_prompt,
            catalog_text: CatalogText::default(),
            fragments: None,
            pending: Vec::new(),
            reported: Vec::new(),
            begun: false,
            window: None,
            kept: None,
            unsaved: Unsaved::default(),
            unfinished: None,
            agent,
        }
    }

    /// Its id in the store, if it is saved.
    pub fn id(&self) -> Option<&ChatId> {
        self.kept.as_ref().map(|kept| &kept.id)
    }

    /// The model.
    pub fn model(&self) -> &str {
        self.agent.inner.provider.name()
    }

    /// Which skills are active.
    pub fn active(&self) -> Vec<SkillId> {
        self.session.active()
    }

    /// The messages, as they are saved.
    pub fn entries(&self) -> impl Iterator<Item = &ChatEntry> {
        self.lines.iter().map(|line| &line.entry)
    }

    pub(crate) fn keep(&mut self, id: ChatId, version: u64) {
        self.begun = !self.lines.is_empty();
        self.kept = Some(Kept {
            id,
            version,
            lines: self.lines.len(),
            stored: self.lines.len(),
            active: self.session.active(),
            unpaid: Usage::default(),
        });
    }

    pub(crate) fn remember(&mut self) {
        self.unfinished = Some(Before {
            session: self.session.fork(),
            lines: self.lines.len(),
            replaced: Vec::new(),
            kept: self.kept.as_ref().map_or(0, |kept| kept.lines),
            view: self.view.clone(),
            ledger: self.ledger.clone(),
        });
    }

    /// Its messages that are not in the store, now and from now on.
    pub fn unsaved(&self) -> Unsaved {
        self.unsaved.clone()
    }

    /// Whether a turn of it is in the store.
    pub fn is_kept(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.stored > 0)
    }

    /// Takes a turn back that was dropped before it was over, as the next turn would.
    pub fn restore(&mut self) {
        let Some(before) = self.unfinished.take() else {
            return;
        };
        if let Some(code_skills) = &self.agent.inner.code_skills {
            code_skills.discard_events();
        }
        self.session = before.session;
        self.lines.truncate(before.lines);
        self.lines.extend(before.replaced);
        if let Some(kept) = &mut self.kept {
            kept.lines = before.kept;
        }
        self.view = before.view;
        self.ledger = before.ledger;
        if !self.unsaved.is_empty() {
            let earlier = self.new_messages().ok().flatten();
            self.unsaved.set(earlier);
        }
    }

    /// Continues with another model from the next turn on. The agent must have the same skills.
    pub fn use_agent(&mut self, agent: Agent) {
        self.restore();
        self.agent = agent;
        self.window = None;
        self.forget_states();
    }

    /// Forgets what only the last model understands.
    pub(crate) fn forget_states(&mut self) {
        for line in &mut self.lines {
            if let Some(Message::Model { text, calls, state }) = line.message.as_deref()
                && state.is_some()
            {
                line.message = Some(Arc::new(Message::Model {
                    text: text.clone(),
                    calls: calls.clone(),
                    state: None,
                }));
            }
        }
    }

    /// Forgets messages from that one on; the store has them until the next save.
    pub(crate) fn keep_only(&mut self, lines: usize) {
        if let Some(kept) = &mut self.kept {
            kept.lines = kept.lines.min(lines);
        }
    }

    /// The skills whose instructions are in the context of the model.
    pub(crate) fn visible_skills(&self) -> Vec<SkillId> {
        let seen = self
            .lines
            .iter()
            .skip(self.view.from)
            .flat_map(|line| &line.skills);
        let all = self.in_prompt.iter().chain(seen).chain(&self.view.pinned);
        all.filter(|id| self.session.is_active(id))
            .cloned()
            .collect()
    }

    /// A message of the user with the skills that it names, for a saved message.
    pub(crate) async fn said(
        &mut self,
        text: &str,
        references: &[SkillId],
        run: Option<WorkflowRun>,
    ) -> Line {
        let turn = match &run {
            Some(run) => {
                let mut turn = self
                    .session
                    .turn_with(&format!("/{}", run.skill), references)
                    .await;
                turn.text = result_text(run);
                turn
            }
            None => self.session.turn_with(text, references).await,
        };
        self.line(text, references, run, &turn)
    }

    pub(crate) fn line(
        &mut self,
        text: &str,
        references: &[SkillId],
        ran: Option<WorkflowRun>,
        turn: &prowess_core::Turn,
    ) -> Line {
        for event in &turn.events {
            if let Event::Activated { id, bytes, .. } = event {
                self.ledger.loaded(&self.agent.inner.skills, id, *bytes);
            }
        }
        let skills = turn.blocks.iter().map(|block| block.id.clone()).collect();
        let mut line = Line::user(text, references, turn.content(), skills);
        if turn.content().is_empty() {
            line.message = None;
        }
        if let ChatEntry::User { run, .. } = &mut line.entry {
            *run = ran;
        }
        line
    }

    /// Counts what a turn cost that is not saved; the next save has it.
    pub(crate) fn owe(&mut self, usage: Usage) {
        if let Some(kept) = &mut self.kept {
            kept.unpaid += usage;
        }
    }

    /// Whether no other process changed the chat.
    pub(crate) async fn check_unchanged(&self) -> Result<(), AgentError> {
        let (Some(store), Some(kept)) = (&self.agent.inner.store, &self.kept) else {
            return Ok(());
        };
        if kept.version == 0 {
            // No other process knows its id.
            return Ok(());
        }
        let found = store.chat_version(&kept.id).await?;
        if found == kept.version {
            return Ok(());
        }
        Err(AgentError::Store(StoreError::ChatChanged {
            id: kept.id.to_string(),
            expected: kept.version,
            found,
        }))
    }

    /// What is not in the store yet; `None` if nothing is to be written.
    fn new_messages(&self) -> Result<Option<UnsavedMessages>, StoreError> {
        let (Some(_), Some(kept)) = (&self.agent.inner.store, &self.kept) else {
            return Ok(None);
        };
        let new = self.lines.get(kept.lines..).unwrap_or_default();
        let written = new.iter().map(|line| serde_json::to_string(&line.entry));
        let messages: Result<Vec<String>, serde_json::Error> = written.collect();
        let messages = messages.map_err(|error| StoreError::Database {
            action: "use",
            reason: error.to_string(),
        })?;
        let is_new = !messages.is_empty() || kept.lines != kept.stored;
        Ok(is_new.then(|| UnsavedMessages {
            chat: kept.id.clone(),
            after: kept.lines,
            messages,
        }))
    }

    /// Writes what is not in the store yet, as one turn.
    pub(crate) async fn save(&mut self, usage: Usage) -> Result<(), StoreError> {
        self.owe(usage);
        self.save_again().await
    }

    /// Tries to save what is not saved yet.
    pub async fn save_again(&mut self) -> Result<(), StoreError> {
        let Some(new) = self.new_messages()? else {
            self.unsaved.set(None);
            return Ok(());
        };
        self.unsaved.set(Some(new.clone()));
        let saved = self.write(new.messages).await;
        // What another process changed cannot be saved here any more.
        if saved
            .as_ref()
            .map_or_else(|error| !error.is_passing(), |()| true)
        {
            self.unsaved.set(None);
        }
        saved
    }

    async fn write(&mut self, messages: Vec<String>) -> Result<(), StoreError> {
        let (Some(store), Some(kept)) = (&self.agent.inner.store, &mut self.kept) else {
            return Ok(());
        };
        let new = self.lines.get(kept.lines..).unwrap_or_default();
        let first = new.iter().find_map(|line| match &line.entry {
            ChatEntry::User { text, .. } => Some(title(text)),
            _ => None,
        });
        let active = self.session.active();
        let options = &self.agent.inner.options;
        let code_skills = self.agent.inner.code_skills.as_ref();
        let turn = ChatTurn {
            messages,
            keep: (kept.lines < kept.stored).then_some(kept.lines),
            used: used(options, &kept.active, &active),
            active: active.clone(),
            code_active: code_skills.map_or_else(Vec::new, |it| it.runtime.active()),
            model: options.saved_model.clone(),
            tokens: Tokens {
                input: kept.unpaid.input,
                output: kept.unpaid.output,
            },
            title: first.filter(|_| kept.lines == 0),
        };
        kept.version = store.append_turn(&kept.id, kept.version, turn).await?;
        kept.active = active;
        kept.lines = self.lines.len();
        kept.stored = kept.lines;
        kept.unpaid = Usage::default();
        Ok(())
    }
}

/// The skills that became active, if the project is known.
fn used(options: &AgentOptions, before: &[SkillId], now: &[SkillId]) -> Option<SkillUses> {
    let project = options.project.clone()?;
    let skills = now.iter().filter(|id| !before.contains(id));
    let skills = skills.cloned().collect();
    Some(SkillUses { project, skills })
}

/// The title of a chat: the start of its first message.
fn title(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    if line.chars().count() <= TITLE_CHARS {
        return line;
    }
    let cut: String = line.chars().take(TITLE_CHARS - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_short_line() {
        assert_eq!(title("  a\n b\t\u{0} c "), "a b c");
        let long = title(&"word ".repeat(100));
        assert!(
            long.chars().count() <= TITLE_CHARS && long.ends_with('…'),
            "{long}"
        );
    }
}
