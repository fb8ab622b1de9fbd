//! The line editor: completes skills with their descriptions and stores the history.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::PathBuf;
use std::{env, fs};

use anstyle::{AnsiColor, Style};
use prowess_core::Skills;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use unicode_width::UnicodeWidthStr;

use super::card::shortened;
use super::commands::ChatCommand;
use crate::error::{Context as _, Result};
use crate::terminal;

const PROMPT: &str = "> ";
const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const SKILL: Style = AnsiColor::BrightMagenta.on_default();
/// Candidates that are offered at once.
const CANDIDATES: usize = 50;
/// Messages that are remembered.
const HISTORY: usize = 1_000;

/// An action of the user at the prompt.
pub(super) enum Input {
    Message(String),
    /// Ctrl-C; whether there was something in the line.
    Interrupted {
        had_text: bool,
    },
    End,
}

/// Reads lines from a terminal.
pub(super) struct LineEditor {
    editor: Editor<EditorHelper, FileHistory>,
    history: Option<PathBuf>,
}

impl LineEditor {
    /// Stores messages in the history file, if any.
    pub(super) fn open(skills: Skills, history: Option<PathBuf>) -> Result<Self> {
        let colours = if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            ColorMode::Disabled
        } else {
            ColorMode::Enabled
        };
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .color_mode(colours)
            .max_history_size(HISTORY)
            .and_then(|config| config.history_ignore_dups(true))
            .context("cannot read from the terminal")?
            .history_ignore_space(true)
            .build();
        let mut editor = Editor::with_config(config).context("cannot read from the terminal")?;
        editor.set_helper(Some(EditorHelper {
            skills,
            had_text: Cell::new(false),
        }));
        if let Some(path) = &history {
            // There may be none yet.
            let _ = editor.load_history(path);
        }
        Ok(Self { editor, history })
    }

    /// The next message.
    pub(super) fn next(&mut self) -> Result<Input> {
        if let Some(help) = self.editor.helper() {
            help.had_text.set(false);
        }
        match self.editor.readline(PROMPT) {
            Ok(line) => {
                let message = line.replace("\\\n", "\n");
                self.remember(&message);
                Ok(Input::Message(message))
            }
            Err(ReadlineError::Interrupted) => {
                let had_text = self.editor.helper().is_some_and(|help| help.had_text.get());
                Ok(Input::Interrupted { had_text })
            }
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(error) => Err(error).context("cannot read from the terminal"),
        }
    }

    /// Keeps a message for the next time; without a place for it, for this time.
    fn remember(&mut self, message: &str) {
        if !matches!(self.editor.add_history_entry(message), Ok(true)) {
            return;
        }
        if let Some(path) = &self.history {
            let created = path.parent().map(fs::create_dir_all);
            if matches!(created, Some(Ok(()))) {
                let _ = self.editor.append_history(path);
            }
        }
    }
}

/// Completes, hints and colours.
struct EditorHelper {
    skills: Skills,
    /// Whether the line has text. The editor does not report it when it is interrupted.
    had_text: Cell<bool>,
}

impl EditorHelper {
    /// Completions of the start of a line: the text and its description.
    fn completions(&self, typed: &str) -> Vec<(String, String)> {
        if typed.starts_with(':') {
            let all = ChatCommand::ALL.iter();
            let fitting = all.filter(|info| info.name.starts_with(typed));
            return fitting
                .map(|info| (info.name.to_owned(), info.about.to_owned()))
                .collect();
        }
        let Some(part) = typed.strip_prefix('/') else {
            return Vec::new();
        };
        let catalog = self.skills.catalog();
        let skills = catalog
            .skills()
            .filter(|skill| skill.descriptor.invocation.by_user());
        // Completion matches only the start of an id or a name.
        let mut found: [Vec<(String, String)>; 3] = Default::default();
        for skill in skills {
            let id = &skill.descriptor.id;
            let [whole, name, inside] = &mut found;
            let list = if id.as_str().starts_with(part) {
                whole
            } else if id.name().starts_with(part) {
                name
            } else if id.as_str().contains(part) {
                inside
            } else {
                continue;
            };
            let about = match &skill.descriptor.argument_hint {
                Some(hint) => format!("{hint}  {}", skill.descriptor.description),
                None => skill.descriptor.description.to_string(),
            };
            list.push((format!("/{id}"), about));
        }
        let mut best = found
            .into_iter()
            .find(|list| !list.is_empty())
            .unwrap_or_default();
        best.truncate(CANDIDATES);
        best
    }
}

impl Completer for EditorHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..pos).unwrap_or_default();
        if typed.contains(char::is_whitespace) {
            return Ok((pos, Vec::new()));
        }
        let found = self.completions(typed);
        let widest = found
            .iter()
            .map(|(name, _)| name.width())
            .max()
            .unwrap_or_default();
        let columns = terminal::width().saturating_sub(3);
        // Some of the description is seen, however long the ids are.
        let widest = widest.min(columns * 2 / 3);
        let pairs = found.into_iter().map(|(name, about)| {
            let named = shortened(&name, widest);
            let gap = " ".repeat(widest - named.width() + 2);
            let about = terminal::printable(&about.replace('\n', " "));
            // As wide as the terminal, so that each has its own line.
            let shown = shortened(&format!("{named}{gap}{about}"), columns);
            let rest = " ".repeat(columns.saturating_sub(shown.width()));
            Pair {
                display: shown + &rest,
                replacement: name + " ",
            }
        });
        Ok((0, pairs.collect()))
    }
}

impl Hinter for EditorHelper {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        self.had_text.set(!line.is_empty());
        if pos < line.len() || line.len() < 2 || line.contains(char::is_whitespace) {
            return None;
        }
        let (name, about) = self.completions(line).into_iter().next()?;
        let rest = name.strip_prefix(line)?;
        let about = terminal::printable(&about.replace('\n', " "));
        let room = terminal::width().saturating_sub(PROMPT.len() + name.width() + 4);
        Some(format!("{rest}  {}", shortened(&about, room)))
    }
}

impl Highlighter for EditorHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let (first, rest) = line.split_at(end);
        let is_skill = first
            .strip_prefix('/')
            .is_some_and(|id| self.skills.catalog().get(id).is_some());
        if is_skill {
            return Cow::Owned(format!("{SKILL}{first}{SKILL:#}{rest}"));
        }
        Cow::Borrowed(line)
    }

    fn highlight_char(&self, line: &str, _: usize, _: CmdKind) -> bool {
        line.starts_with('/')
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(format!("{STRONG}{prompt}{STRONG:#}"))
    }

    fn highlight_candidate<'c>(&self, candidate: &'c str, _: CompletionType) -> Cow<'c, str> {
        let (name, about) = candidate.split_once("  ").unwrap_or((candidate, ""));
        Cow::Owned(format!("{SKILL}{name}{SKILL:#}  {DIM}{about}{DIM:#}"))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("{DIM}{hint}{DIM:#}"))
    }
}

impl Validator for EditorHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        // A backslash at the end of a line: the message continues.
        let goes_on = context.input().ends_with('\\');
        Ok(if goes_on {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl Helper for EditorHelper {}
