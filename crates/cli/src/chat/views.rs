//! What commands of the chat show.

use std::fmt::Write as _;

use anstyle::Style;
use prowess_agent::wire::ChatEntry;
use prowess_agent::{Chat, TurnTokens};
use prowess_runtime::WORKFLOW_TOOL;
use serde_json::json;

use super::card::{brief, size};
use super::commands::ChatCommand;
use crate::terminal::printable;

const DIM: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
/// Characters of a result that are shown.
const RESULT_CHARS: usize = 8_000;

pub(super) fn help() -> String {
    let mut text = "Start a message with /ID to use that skill; press Tab to complete the id.\nEnd a line with a backslash to continue on the next line. Pasted text stays one message.\n\n".to_owned();
    for info in ChatCommand::ALL {
        let usage = format!("{} {}", info.name, info.argument);
        let _ = writeln!(text, "  {usage:<14} {}", info.about);
    }
    text
}

/// The tool calls of the last turn, with input and result.
pub(super) fn tool_calls(chat: &Chat) -> String {
    let entries: Vec<&ChatEntry> = chat.entries().collect();
    let start = entries
        .iter()
        .rposition(|entry| matches!(entry, ChatEntry::User { .. }));
    let mut text = String::new();
    for entry in entries.iter().skip(start.unwrap_or_default()) {
        match entry {
            ChatEntry::User { run: Some(run), .. } => {
                let call = json!({"id": run.skill, "workflow": run.workflow, "input": run.input});
                let _ = writeln!(text, "{STRONG}{WORKFLOW_TOOL}{STRONG:#} {}", brief(&call));
                result(&mut text, WORKFLOW_TOOL, &run.content, run.is_error);
            }
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
                    match &reply.content {
                        Some(content) => {
                            result(&mut text, &reply.tool, content, reply.is_error);
                        }
                        None => {
                            let _ = writeln!(text, "{DIM}instructions; see `prowess show`{DIM:#}");
                        }
                    }
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

fn result(text: &mut String, tool: &str, content: &str, is_error: bool) {
    let failed = if is_error { " failed" } else { "" };
    let shown: String = content.chars().take(RESULT_CHARS).collect();
    let (tool, bytes) = (printable(tool), size(content.len()));
    let _ = writeln!(text, "{DIM}{tool}{failed}, {bytes}:{DIM:#}");
    let _ = writeln!(text, "{}", printable(shown.trim_end()));
}

/// The token usage.
pub(super) fn token_usage(cost: &TurnTokens) -> String {
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
    let estimated = cost.estimated;
    if estimated.input + estimated.output > 0 {
        let _ = writeln!(
            text,
            "not counted by the provider: about {} tokens in, {} out",
            estimated.input, estimated.output
        );
    }
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
