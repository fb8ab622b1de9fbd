//! The display of a turn: the answer on standard output, everything else on standard error.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use async_trait::async_trait;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess_agent::TurnReport;
use prowess_agent::wire::{AgentEvent, By};
use prowess_core::SkillId;
use prowess_runtime::{
    ApprovalDecision, ApprovalRequest, Approver, CommandApprovalRequest, CommandDecision,
    ProtectedWriteRequest, WriteDecision,
};
use serde_json::Value;

use super::card::{Card, brief, shortened};
use super::markdown::Markdown;
use crate::code_skills::TerminalApprover;
use crate::terminal::{self, Echo, printable};

const DIM: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();
const SKILL: Style = AnsiColor::BrightMagenta.on_default();

/// Where a chat is drawn.
pub(crate) struct Screen {
    /// Whether the answer is shown while it is written.
    live: bool,
    state: Mutex<ScreenState>,
}

struct ScreenState {
    /// Print only the answer.
    quiet: bool,
    markdown: Markdown,
    waiting: Option<ProgressBar>,
    /// Calls that are not over.
    calls: Vec<(String, Value)>,
    /// Skills that were reported as active.
    active: Vec<SkillId>,
    /// Lines precede the answer, and a blank one is needed between.
    gap: bool,
    began: Instant,
}

impl Screen {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            live: std::io::stdout().is_terminal(),
            state: Mutex::new(ScreenState {
                quiet,
                markdown: Markdown::new(terminal::width()),
                waiting: None,
                calls: Vec::new(),
                active: Vec::new(),
                gap: false,
                began: Instant::now(),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub(crate) fn begin(&self) {
        let mut state = self.state();
        state.markdown = Markdown::new(terminal::width());
        state.calls.clear();
        state.active.clear();
        state.gap = false;
        state.began = Instant::now();
        state.wait("thinking");
    }

    /// Something happens.
    pub(crate) fn show(&self, event: &AgentEvent) {
        let mut state = self.state();
        match event {
            AgentEvent::Text { delta } if self.live => state.answer(delta),
            // It is on its way into a pipe, which may end at the same terminal.
            AgentEvent::Text { .. } => state.stop_waiting(),
            AgentEvent::Reasoning { .. } if state.waiting.is_none() => {
                state.break_line();
                state.wait("thinking");
            }
            AgentEvent::ToolStarted {
                call,
                tool,
                arguments,
                ..
            } => {
                state.break_line();
                let what = format!("{} {}", printable(tool), shortened(&brief(arguments), 40));
                state.wait(what.trim_end());
                state.calls.push((call.clone(), arguments.clone()));
            }
            AgentEvent::ToolInputChanged {
                call,
                tool,
                changed_by,
                arguments,
            } => {
                let skills: Vec<&str> = changed_by.iter().map(SkillId::as_str).collect();
                let line = format!("{tool}: input changed by {}", skills.join(", "));
                state.note(&format!("  {WARN}{}{WARN:#}", printable(&line)));
                // The card shows the effective input of the tool.
                if let Some((_, shown)) = state.calls.iter_mut().find(|(id, _)| id == call) {
                    *shown = arguments.clone();
                }
            }
            AgentEvent::ToolFinished {
                call,
                tool,
                is_error,
                duration_ms,
                bytes,
                ..
            } => {
                let known = state.calls.iter().position(|(id, _)| id == call);
                let arguments = known.map(|at| state.calls.remove(at).1).unwrap_or_default();
                let card = Card {
                    tool,
                    arguments: &arguments,
                    is_error: *is_error,
                    duration_ms: *duration_ms,
                    bytes: *bytes,
                };
                state.note(&card.line(terminal::width()));
                state.wait("thinking");
            }
            AgentEvent::Replaced { text } if self.live => {
                state.note(&format!("{DIM}a skill changed the answer:{DIM:#}"));
                state.break_line();
                state.answer(text);
                state.break_line();
            }
            other => {
                if let Some(id) = became_active(other) {
                    if state.active.contains(id) {
                        return;
                    }
                    state.active.push(id.clone());
                }
                if let Some(line) = line(other) {
                    state.note(&line);
                }
            }
        }
    }

    /// The user cancelled the turn, and it has not ended yet.
    pub(crate) fn stopping(&self) {
        let mut state = self.state();
        // The spinner would be drawn over an unfinished line.
        state.break_line();
        state.wait("stopping");
    }

    /// The result of a finished turn.
    pub(crate) fn end(&self, report: Option<&TurnReport>) {
        let mut state = self.state();
        state.stop_waiting();
        state.break_line();
        let seconds = state.began.elapsed().as_secs_f64();
        if let Some(report) = report.filter(|_| terminal::shows_progress()) {
            let mut line = cost(report);
            if seconds >= 0.1 {
                let _ = write!(line, ", {seconds:.1} s");
            }
            state.note(&format!("{DIM}{line}{DIM:#}"));
        }
    }
}

impl ScreenState {
    fn wait(&mut self, what: &str) {
        if self.quiet || !terminal::shows_progress() {
            return;
        }
        if self.waiting.is_none() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {msg}, {elapsed} (Ctrl-C to cancel)")
            {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            self.waiting = Some(bar);
        }
        if let Some(bar) = &self.waiting {
            // One line: what else the bar shows takes less than 32 columns.
            let room = terminal::width().saturating_sub(32);
            bar.set_message(shortened(what, room));
        }
    }

    fn stop_waiting(&mut self) {
        if let Some(bar) = self.waiting.take() {
            bar.finish_and_clear();
        }
    }

    fn answer(&mut self, delta: &str) {
        let text = self.markdown.push(delta);
        self.print_styled(&text);
    }

    /// Ends the current output.
    fn break_line(&mut self) {
        let rest = self.markdown.finish();
        self.print_styled(&rest);
    }

    fn print_styled(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.stop_waiting();
        if std::mem::take(&mut self.gap) {
            terminal::note("");
        }
        // A closed standard output is not an error.
        let _ = terminal::print_styled(text);
    }

    fn note(&mut self, line: &str) {
        if self.quiet {
            return;
        }
        self.break_line();
        match &self.waiting {
            Some(bar) => bar.suspend(|| terminal::note(line)),
            None => terminal::note(line),
        }
        self.gap = true;
    }
}

/// The cost of a turn: as counted by the provider, or estimated.
fn cost(report: &TurnReport) -> String {
    let (counted, estimated) = (report.tokens.provider, report.tokens.estimated);
    let number = |counted: u64, estimated: u64| match estimated {
        0 => counted.to_string(),
        more => format!("about {}", counted + more),
    };
    let input = number(counted.input, estimated.input);
    let output = number(counted.output, estimated.output);
    format!("{input} tokens in, {output} out")
}

/// The skill that an event reports as active, if any.
fn became_active(event: &AgentEvent) -> Option<&SkillId> {
    match event {
        AgentEvent::SkillLoaded { id, .. } => Some(id),
        AgentEvent::SkillState { id, to, .. } if to == "active" => Some(id),
        _ => None,
    }
}

/// Other notable events.
fn line(event: &AgentEvent) -> Option<String> {
    let warning = |text: String| Some(format!("{WARN}{}{WARN:#}", printable(&text)));
    match event {
        AgentEvent::SkillLoaded {
            id, by: By::User, ..
        } => Some(format!("  {SKILL}{id}{SKILL:#} is active")),
        AgentEvent::SkillLoaded {
            id,
            by: By::Keyword,
            ..
        } => Some(format!(
            "  {SKILL}{id}{SKILL:#} is active: the message contains one of its keywords"
        )),
        AgentEvent::SkillAlreadyActive { id } => {
            Some(format!("  {SKILL}{id}{SKILL:#} is already active"))
        }
        AgentEvent::SkillUnresolved { reference, nearest } => warning(match nearest.as_slice() {
            [] => format!("unknown skill `{reference}`; sent as text"),
            near => format!(
                "unknown skill `{reference}`; sent as text; did you mean /{}?",
                near.join(", /")
            ),
        }),
        AgentEvent::AccessDenied { id, path } => {
            warning(format!("{id}: refused {path}: it is outside the skill"))
        }
        AgentEvent::ToolNotAllowed { tool } => {
            warning(format!("{tool} is not allowed by the active skills"))
        }
        AgentEvent::ToolCancelled {
            tool,
            skill,
            reason,
            ..
        } => warning(format!("{skill} did not allow {tool}: {reason}")),
        AgentEvent::ActivationFailed { id, reason } => {
            warning(format!("{id}: cannot run its code: {reason}"))
        }
        AgentEvent::SkillState { id, to, .. } if to == "active" => {
            Some(format!("  {SKILL}{id}{SKILL:#} is active"))
        }
        AgentEvent::SkillState { id, to, reason, .. } => warning(format!("{id} is {to}: {reason}")),
        AgentEvent::PermissionDenied { id, call, reason } => {
            warning(format!("{id}: {call} denied: {reason}"))
        }
        AgentEvent::SkillFailed { id, reason } | AgentEvent::SkillTrouble { id, reason } => {
            warning(format!("{id}: {reason}"))
        }
        AgentEvent::SkillLog { id, message } => {
            Some(format!("  {DIM}{id}: {}{DIM:#}", printable(message)))
        }
        AgentEvent::CatalogCut { total, omitted, .. } => Some(match omitted {
            0 => format!("{DIM}{total} skills, with short descriptions{DIM:#}"),
            _ => format!("{DIM}{total} skills, {omitted} of them by search{DIM:#}"),
        }),
        AgentEvent::PromptCut { id, tokens } => {
            let whose = id.as_ref().map_or("a handler", |id| id.as_str());
            warning(format!(
                "{whose} exceeds the prompt budget by {tokens} tokens"
            ))
        }
        AgentEvent::Retry {
            attempt,
            of,
            wait_ms,
            reason,
        } => {
            let seconds = Duration::from_millis(*wait_ms).as_secs_f64();
            warning(format!(
                "{reason}; retrying in {seconds:.1} s ({attempt} of {of})"
            ))
        }
        AgentEvent::Compacted {
            messages, results, ..
        } => Some(format!(
            "{DIM}removed {messages} older messages and {results} results to save space{DIM:#}"
        )),
        AgentEvent::NotSaved { reason } => warning(format!("not saved: {reason}")),
        AgentEvent::Saved => Some(format!("{DIM}saved{DIM:#}")),
        // Notices about loading repeat the lines above; the caller reports the rest.
        AgentEvent::Notice { text } if !text.ends_with(" loaded") => {
            Some(format!("  {DIM}{}{DIM:#}", printable(text)))
        }
        _ => None,
    }
}

/// Asks at the terminal, without other output.
#[async_trait]
impl Approver for Screen {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        let _visible = self.make_room();
        TerminalApprover.ask(request).await
    }

    async fn ask_command(&self, request: CommandApprovalRequest<'_>) -> CommandDecision {
        let _visible = self.make_room();
        TerminalApprover.ask_command(request).await
    }

    async fn ask_write(&self, request: ProtectedWriteRequest<'_>) -> WriteDecision {
        let _visible = self.make_room();
        TerminalApprover.ask_write(request).await
    }
}

impl Screen {
    /// Makes room for a question and its answer.
    fn make_room(&self) -> Echo {
        let mut state = self.state();
        state.break_line();
        state.stop_waiting();
        Echo::set(true)
    }
}
