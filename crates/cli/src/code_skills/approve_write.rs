//! Asks about writing a protected file: says what starts because of it, and shows the whole text.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use prowess_runtime::{ProtectedWriteRequest, WriteDecision};
use prowess_sandbox::{Effect, Protection};

use super::approve::prompt;
use crate::terminal;

/// Lines of a text that are shown with the question; a longer one has to be shown before it can be allowed.
const LINES: usize = 20;
/// Programs that are listed.
const PROGRAMS: usize = 6;

/// Describes the write: the file, and what starts because of it.
pub(crate) fn write_text(request: &ProtectedWriteRequest<'_>) -> String {
    let target = request.target.display().to_string();
    let mut text = format!("The skill `{}` wants to write {target:?}", request.skill);
    if request.path != target {
        let _ = write!(text, ", to which {:?} leads", request.path);
    }
    text.push_str(":\n");
    for protection in request.protections.iter().take(PROGRAMS) {
        let _ = writeln!(text, "  {}", meaning(protection));
    }
    let more = request.protections.len().saturating_sub(PROGRAMS);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more programs use it");
    }
    text
}

/// The whole new text, with a mark before each line so that none looks like a part of the question.
pub(crate) fn written_text(request: &ProtectedWriteRequest<'_>) -> String {
    let lines = request.content.lines().map(|line| format!("  | {line}\n"));
    lines.collect()
}

fn meaning(protection: &Protection) -> String {
    let program = protection.program;
    match protection.effect {
        Effect::Runs => format!("{program} runs commands from it"),
        Effect::StartsServers => format!("{program} starts the MCP servers in it"),
        Effect::LoadsSkills => format!("{program} loads skills from it"),
        Effect::Follows => format!("{program} follows it as instructions"),
        Effect::Configures => format!("{program} takes settings from it"),
    }
}

pub(super) fn ask_write(text: &str, content: &str, stopped: &AtomicBool) -> WriteDecision {
    terminal::note(terminal::printable(text).trim_end());
    let mut shown = content.lines().count() <= LINES;
    if shown {
        terminal::note(terminal::printable(content).trim_end());
    }
    loop {
        let request = if shown {
            "Write it? [o]nce, [s]how the text, [D]eny: "
        } else {
            "Write it? [s]how the text, then [o]nce, or [D]eny: "
        };
        let Some(answer) = prompt(request, stopped) else {
            return WriteDecision::Deny;
        };
        match answer.as_str() {
            "o" | "once" if shown => return WriteDecision::Once,
            "s" | "show" => {
                shown = true;
                terminal::note(terminal::printable(content).trim_end());
            }
            "" | "d" | "deny" | "n" | "no" => return WriteDecision::Deny,
            _ => {}
        }
    }
}
