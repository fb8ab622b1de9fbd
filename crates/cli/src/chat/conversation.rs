//! An interactive conversation at a terminal.

use std::fmt::Write as _;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Chat, Ending, Saved, TurnTokens};
use prowess_core::{Scope, SkillId};
use prowess_store::StoreError;

use super::card::shortened;
use super::commands::ChatCommand;
use super::editor::{Input, LineEditor};
use super::export::export;
use super::run::OpenedChat;
use super::saved_chats::{self, ChatPage};
use super::saving::{save_before_another, save_before_the_end, while_saving};
use super::screen::Screen;
use super::single_message::{EMPTY, FILTERED, LENGTH};
use super::turn::{Outgoing, turn};
use super::views::{help, token_usage, tool_calls};
use crate::arguments::Global;
use crate::environment;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::terminal::{self, printable};
use crate::unsaved::UnsavedGuard;

const DIM: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const SKILL: Style = AnsiColor::BrightMagenta.on_default();
/// Skills that are listed, beside the active ones.
const LISTED: usize = 40;
/// The hint after another process changed the chat.
const RELOAD: &str = "type `:reload`, then try again";

/// An ongoing conversation.
struct Conversation {
    opened: OpenedChat,
    chat: Chat,
    screen: Arc<Screen>,
    interrupts: Interrupts,
    /// Writes what is not saved when the program ends.
    unsaved: UnsavedGuard,
    /// The cost of the last turn.
    cost: Option<TurnTokens>,
    /// The last message, if it got no answer.
    unsent: Option<String>,
}

/// Runs the conversation until the user ends it.
pub(super) async fn run(
    opened: OpenedChat,
    chat: Chat,
    screen: Arc<Screen>,
    interrupts: Interrupts,
    global: &Global,
) -> Result<Exit> {
    let history = environment::data_directory().map(|directory| directory.join("chat-history"));
    let history = history.filter(|_| chat.id().is_some());
    let mut editor = LineEditor::open(opened.setup.agent.skills().clone(), history)?;
    let mut conversation = Conversation {
        unsaved: UnsavedGuard::new(chat.unsaved(), opened.store_directory()),
        interrupts,
        opened,
        chat,
        screen,
        cost: None,
        unsent: None,
    };
    if !global.quiet {
        conversation.greet();
    }
    let mut leaving = false;
    loop {
        // What arrived until now was for the turn that is over.
        conversation.interrupts.forget();
        let chat = &mut conversation.chat;
        let typed = tokio::task::block_in_place(|| while_saving(chat, || editor.next()))?;
        match typed {
            Input::End => break,
            Input::Interrupted { had_text } => {
                if leaving && !had_text {
                    break;
                }
                leaving = !had_text;
                if leaving {
                    terminal::note("press Ctrl-C again, or Ctrl-D, to end the chat");
                }
            }
            Input::Message(message) => {
                leaving = false;
                if message.trim().is_empty() {
                    continue;
                }
                let catalog = conversation.opened.setup.agent.skills().catalog();
                match ChatCommand::parse(&message, &catalog) {
                    Some(Ok(ChatCommand::Quit)) => break,
                    Some(Ok(command)) => conversation.execute(command, global).await?,
                    Some(Err(problem)) => terminal::print_problem(&problem, None),
                    None => conversation.run_turn(Outgoing::Message(&message)).await,
                }
            }
        }
    }
    let is_saved = save_before_the_end(&mut conversation.chat, &mut conversation.interrupts).await;
    if let Some(id) = conversation
        .chat
        .id()
        .filter(|_| conversation.chat.is_kept() && !global.quiet)
    {
        terminal::note(&format!(
            "{DIM}to continue:{DIM:#} prowess chat --resume {id}"
        ));
    }
    conversation.opened.setup.runtime.shut_down().await;
    Ok(if is_saved {
        Exit::Success
    } else {
        Exit::Failure
    })
}

impl Conversation {
    fn greet(&self) {
        let agent = &self.opened.setup.agent;
        let catalog = agent.skills().catalog();
        let built_in = catalog
            .skills()
            .filter(|skill| skill.descriptor.scope == Scope::Builtin)
            .count();
        let noun = if catalog.len() == 1 {
            "skill"
        } else {
            "skills"
        };
        let mut line = format!(
            "{STRONG}prowess{STRONG:#} with {} and {} {noun}",
            printable(agent.provider().name()),
            catalog.len()
        );
        if built_in > 0 {
            let _ = write!(line, ", {built_in} built in");
        }
        terminal::note(&line);
        if self.opened.is_demo_by_default() {
            terminal::note(&format!(
                "{DIM}no model is configured, using the demo model; see `prowess chat --help`{DIM:#}"
            ));
        }
        terminal::note(&format!(
            "{DIM}/ID: use a skill, Tab: complete, :help: list commands, Ctrl-D: exit{DIM:#}\n"
        ));
        if self.chat.entries().next().is_some() {
            terminal::note(saved_chats::last_turn(&self.chat, terminal::width()).trim_end());
        }
    }

    /// Runs one turn and reports its result.
    async fn run_turn(&mut self, outgoing: Outgoing<'_>) {
        let screen = Arc::clone(&self.screen);
        let hidden = terminal::Echo::set(false);
        screen.begin();
        let emit = |event: AgentEvent| screen.show(&event);
        let interrupts = &mut self.interrupts;
        let done = turn(&mut self.chat, outgoing, &emit, interrupts, || {
            screen.stopping();
        });
        let done = done.await;
        screen.end(done.as_ref().and_then(|done| done.as_ref().ok()));
        drop(hidden);
        self.unsent = match (outgoing, &done) {
            (Outgoing::Message(_), Some(Ok(report))) if !report.is_nothing() => None,
            (Outgoing::Message(text), _) => Some(text.to_owned()),
            (Outgoing::Retry, _) => None,
        };
        match done {
            None => {
                self.chat.restore();
                terminal::note("cancelled; the message was not sent");
            }
            Some(Ok(report)) => {
                match report.ending {
                    Ending::Cancelled => terminal::note("stopped"),
                    Ending::Answered if report.text.trim().is_empty() => terminal::note(EMPTY),
                    Ending::Length => terminal::note(LENGTH),
                    Ending::Filtered => terminal::note(FILTERED),
                    _ => {}
                }
                if report.saved == Saved::Elsewhere {
                    let message = "not saved: this chat was changed by another process";
                    terminal::print_problem(message, Some(RELOAD));
                }
                if let Some(failure) = &report.failure {
                    CommandError::from(failure).print();
                }
                self.cost = Some(report.tokens);
            }
            Some(Err(error)) => chat_error(error).print(),
        }
        terminal::note("");
    }

    async fn execute(&mut self, command: ChatCommand, global: &Global) -> Result<()> {
        let text = match command {
            ChatCommand::Retry => {
                match self.unsent.take() {
                    Some(text) => self.run_turn(Outgoing::Message(&text)).await,
                    None => self.run_turn(Outgoing::Retry).await,
                }
                return Ok(());
            }
            ChatCommand::Resume(id) if id.is_empty() => {
                let page = ChatPage::default();
                saved_chats::list(&self.opened.store, page, false, false).await?;
                String::new()
            }
            command => match self.result(command, global).await {
                Ok(text) => text,
                Err(error) => {
                    error.print();
                    String::new()
                }
            },
        };
        Ok(terminal::print_styled(&format!("{text}\n"))?)
    }

    /// Executes a command; the text to show.
    async fn result(&mut self, command: ChatCommand, global: &Global) -> Result<String> {
        Ok(match command {
            ChatCommand::Help => help(),
            ChatCommand::Skills => self.skills(),
            ChatCommand::Show => tool_calls(&self.chat),
            ChatCommand::Cost => match &self.cost {
                Some(cost) => token_usage(cost),
                None => "no messages yet\n".to_owned(),
            },
            ChatCommand::Model(name) => {
                if !name.is_empty() {
                    let wanted = self.opened.wanted.renamed(&name, &self.opened.chosen)?;
                    self.opened.use_model(wanted, global)?;
                    self.chat.use_agent(self.opened.setup.agent.clone());
                }
                format!("{}\n", printable(self.chat.model()))
            }
            ChatCommand::Undo => {
                self.unsent = None;
                match self.chat.undo().await.map_err(chat_error)? {
                    Some(text) => {
                        let text = printable(&text.replace('\n', " "));
                        let room = terminal::width().saturating_sub("removed: ".len());
                        format!("removed: {}\n", shortened(&text, room))
                    }
                    None => "no messages yet\n".to_owned(),
                }
            }
            ChatCommand::Export { file, overwrite } => {
                export(&self.chat, &file, overwrite)?;
                format!("written to {}\n", printable(&file))
            }
            ChatCommand::Resume(id) => {
                let saved = saved_chats::find(&self.opened.store, &id).await?;
                let wanted = self.opened.model_of(&saved);
                self.opened.use_model(wanted, global)?;
                self.opened.setup.runtime.shut_down().await;
                let chat = self.opened.setup.agent.resume(&saved.id).await?;
                self.replace(chat).await;
                (self.cost, self.unsent) = (None, None);
                saved_chats::last_turn(&self.chat, terminal::width())
            }
            ChatCommand::New => {
                // Code that became active in the old one is not active in the new one.
                self.opened.setup.runtime.shut_down().await;
                let chat = self.opened.setup.agent.chat();
                self.replace(chat).await;
                (self.cost, self.unsent) = (None, None);
                "started a new chat\n".to_owned()
            }
            ChatCommand::Reload => {
                self.reload().await?;
                saved_chats::last_turn(&self.chat, terminal::width())
            }
            ChatCommand::Retry | ChatCommand::Quit => String::new(),
        })
    }

    async fn reload(&mut self) -> Result<()> {
        let id = self.chat.id().cloned().ok_or(AgentError::NoStore)?;
        let chat = self.opened.setup.agent.resume(&id).await?;
        self.replace(chat).await;
        Ok(())
    }

    /// Continues with another chat. What this one could not save is written to a file.
    async fn replace(&mut self, chat: Chat) {
        save_before_another(&mut self.chat).await;
        // The guard of the last chat writes.
        self.unsaved = UnsavedGuard::new(chat.unsaved(), self.opened.store_directory());
        self.chat = chat;
    }

    fn skills(&self) -> String {
        let catalog = self.opened.setup.agent.skills().catalog();
        let code_skills = self.opened.setup.runtime.active();
        let is_active = |id: &SkillId| self.chat.active().contains(id) || code_skills.contains(id);
        let (mut listed, others): (Vec<_>, Vec<_>) = catalog
            .skills()
            .partition(|skill| is_active(&skill.descriptor.id));
        let more = others.len().saturating_sub(LISTED);
        listed.extend(others.into_iter().take(LISTED));
        let widths = listed
            .iter()
            .map(|skill| skill.descriptor.id.as_str().len());
        let columns = terminal::width();
        let widest = widths.max().unwrap_or_default().min(columns / 2);
        let mut text = String::new();
        for skill in listed {
            let id = &skill.descriptor.id;
            let mark = if is_active(id) { '*' } else { ' ' };
            let name = shortened(id.as_str(), widest);
            let about = printable(&skill.descriptor.description.replace('\n', " "));
            let about = shortened(&about, columns.saturating_sub(widest + 6));
            let _ = writeln!(text, "{mark} {SKILL}/{name:<widest$}{SKILL:#}  {about}");
        }
        if more > 0 {
            let _ = writeln!(text, "and {more} more; run `prowess list` to list all");
        }
        text
    }
}

/// An error of the chat, with what to type.
fn chat_error(error: AgentError) -> CommandError {
    let is_changed = matches!(&error, AgentError::Store(StoreError::ChatChanged { .. }));
    let mut error = CommandError::from(error);
    if is_changed {
        error.hints = vec![RELOAD.to_owned()];
    }
    error
}
