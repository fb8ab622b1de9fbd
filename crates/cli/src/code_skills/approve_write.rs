//! Asks about writing a protected file: says what starts because of it, and shows the whole text.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use prowess_runtime::{ProtectedWriteRequest, WriteDecision};
use prowess_sandbox::{Effect, Protection};

use super::approve::{prompt, show_all};

/// Describes the write: the file, what starts because of it, and the whole new text, with a mark before each line so that none
/// looks like a part of the question.
pub(crate) fn write_text(request: &ProtectedWriteRequest<'_>) -> String {
    let target = request.target.display().to_string();
    let mut text = format!("The skill `{}` wants to write {target:?}", request.skill);
    if request.path != target {
        let _ = write!(text, ", to which {:?} leads", request.path);
    }
    text.push_str(":\n");
    for protection in request.protections {
        let _ = writeln!(text, "  {}", meaning(protection));
    }
    for line in request.content.lines() {
        let _ = writeln!(text, "  | {line}");
    }
    text
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

pub(super) fn ask_write(text: &str, stopped: &AtomicBool) -> WriteDecision {
    if !show_all(text, stopped) {
        return WriteDecision::Deny;
    }
    loop {
        let Some(answer) = prompt("Write it? [o]nce, [D]eny: ", stopped) else {
            return WriteDecision::Deny;
        };
        match answer.as_str() {
            "o" | "once" => return WriteDecision::Once,
            "" | "d" | "deny" | "n" | "no" => return WriteDecision::Deny,
            _ => {}
        }
    }
}
