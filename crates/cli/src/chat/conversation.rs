//! An interactive conversation at a terminal.

use std::fmt::Write as _;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use prowess_agent::wire::{AgentEvent, ChatEntry};
use prowess_agent::{AgentError, Chat, Ending, Saved, TurnTokens};
use prowess_core::{Scope, SkillId};
use prowess_store::StoreError;

use super::card::{brief, shortened, size};
use super::commands::ChatCommand;
use super::editor::{Input, LineEditor};
use super::run::OpenedChat;
use super::saved_chats;
use super::screen::Screen;
use super::turn::turn;
use crate::arguments::Global;
use crate::environment;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::terminal::{self, printable};

const DIM: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const SKILL: Style = AnsiColor::BrightMagenta.on_default();
/// Skills that are listed, beside the active ones.
const LISTED: usize = 40;
/// The hint after another process changed the chat.
const RELOAD: &str = "type `:reload`, then send your message again";
/// Characters of a result that are shown.
const RESULT_CHARS: usize = 8_000;

/// An ongoing conversation.
struct Conversation {
    opened: OpenedChat,
    chat: Chat,
    screen: Arc<Screen>,
    /// The cost of the last turn.
    cost: Option<TurnTokens>,
}

/// Runs the conversation until the user ends it.
pub(super) async fn run(
    opened: OpenedChat,
    chat: Chat,
    screen: Arc<Screen>,
    global: &Global,
) -> Result<Exit> {
    let history = environment::data_directory().map(|directory| directory.join("chat-history"));
    let history = history.filter(|_| chat.id().is_some());
    let mut editor = LineEditor::open(opened.setup.agent.skills().clone(), history)?;
    let mut conversation = Conversation {
        opened,
        chat,
        screen,
        cost: None,
    };
    if !global.quiet {
        conversation.greet();
    }
    let mut leaving = false;
    loop {
        let typed = tokio::task::block_in_place(|| editor.next())?;
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
                    Some(Ok(command)) => conversation.execute(command).await?,
                    Some(Err(problem)) => terminal::print_problem(&problem, None),
                    None => conversation.run_turn(&message).await,
                }
            }
        }
    }
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
    Ok(Exit::Success)
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
        if self.opened.is_demo_by_default {
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
    async fn run_turn(&mut self, message: &str) {
        let screen = Arc::clone(&self.screen);
        screen.begin();
        let emit = |event: AgentEvent| screen.show(&event);
        let done = turn(&mut self.chat, message, &emit, || screen.stopping()).await;
        screen.end(done.as_ref().and_then(|done| done.as_ref().ok()));
        match done {
            None => {
                self.chat.restore();
                terminal::note("cancelled; the message was not sent");
            }
            Some(Ok(report)) => {
                if report.ending == Ending::Cancelled {
                    terminal::note("stopped");
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
            Some(Err(error)) => {
                let is_changed =
                    matches!(&error, AgentError::Store(StoreError::ChatChanged { .. }));
                let mut error = CommandError::from(error);
                if is_changed {
                    error.hints = vec![RELOAD.to_owned()];
                }
                error.print();
            }
        }
        terminal::note("");
    }

    async fn execute(&mut self, command: ChatCommand) -> Result<()> {
        let text = match command {
            ChatCommand::Help => help(),
            ChatCommand::Skills => self.skills(),
            ChatCommand::Show => tool_calls(&self.chat),
            ChatCommand::Cost => match &self.cost {
                Some(cost) => token_usage(cost),
                None => "no messages yet\n".to_owned(),
            },
            ChatCommand::New => {
                // Code that became active in the old one is not active in the new one.
                self.opened.setup.runtime.shut_down().await;
                self.chat = self.opened.setup.agent.chat();
                self.cost = None;
                "started a new chat\n".to_owned()
            }
            ChatCommand::Reload => match self.reload().await {
                Ok(()) => saved_chats::last_turn(&self.chat, terminal::width()),
                Err(error) => format!("{error}\n"),
            },
            ChatCommand::Quit => String::new(),
        };
        Ok(terminal::print_styled(&format!("{text}\n"))?)
    }

    async fn reload(&mut self) -> Result<(), AgentError> {
        let id = self.chat.id().cloned().ok_or(AgentError::NoStore)?;
        self.chat = self.opened.setup.agent.resume(&id).await?;
        Ok(())
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

fn help() -> String {
    let mut text = "Start a message with /ID to use that skill; press Tab to complete the id.\nEnd a line with a backslash to continue on the next line. Pasted text stays one message.\n\n".to_owned();
    for (name, _, about) in ChatCommand::ALL {
        let _ = writeln!(text, "  {name:<9} {about}");
    }
    text
}

/// The tool calls of the last turn, with input and result.
fn tool_calls(chat: &Chat) -> String {
    let entries: Vec<&ChatEntry> = chat.entries().collect();
    let start = entries
        .iter()
        .rposition(|entry| matches!(entry, ChatEntry::User { .. }));
    let mut text = String::new();
    for entry in entries.iter().skip(start.unwrap_or_default()) {
        match entry {
            ChatEntry::Model { calls, .. } => {
                for call in calls {
                    let _ = writeln!(
                        text,
                        "{STRONG}{}{STRONG:#} {}",
                        printable(&call.tool),
                        brief(&call.arguments)
                    );
                }
            }
            ChatEntry::Tools { replies } => {
                for reply in replies {
                    let failed = if reply.is_error { " failed" } else { "" };
                    let Some(content) = &reply.content else {
                        let _ = writeln!(text, "{DIM}instructions; see `prowess show`{DIM:#}");
                        continue;
                    };
                    let shown: String = content.chars().take(RESULT_CHARS).collect();
                    let _ = writeln!(
                        text,
                        "{DIM}{}{failed}, {}:{DIM:#}",
                        printable(&reply.tool),
                        size(content.len())
                    );
                    let _ = writeln!(text, "{}", printable(shown.trim_end()));
                }
            }
            _ => {}
        }
    }
    if text.is_empty() {
        text.push_str("no tool calls in the last turn\n");
    }
    text
}

/// The token usage.
fn token_usage(cost: &TurnTokens) -> String {
    let usage = cost.provider;
    let noun = if cost.requests == 1 {
        "request"
    } else {
        "requests"
    };
    let mut text = format!(
        "{} tokens in, {} cached, {} out; {} {noun}\n",
        usage.input, usage.cached, usage.output, cost.requests
    );
    text.push_str("last request, estimated:\n");
    let parts = [
        ("instructions", cost.system),
        ("  of which catalog", cost.catalog),
        ("tools", cost.tools),
        ("messages", cost.messages),
    ];
    for (what, tokens) in parts {
        let _ = writeln!(text, "  {what:<22} {tokens:>7}");
    }
    if !cost.skills.is_empty() {
        text.push_str("per skill: catalog, instructions, files\n");
    }
    for skill in &cost.skills {
        let _ = writeln!(
            text,
            "  {:<22} {:>7} {:>7} {:>7}",
            skill.id.as_str(),
            skill.catalog,
            skill.instructions,
            skill.files
        );
    }
    text
}
