//! A chat as a file.

use std::fmt::Write as _;
use std::path::PathBuf;

use prowess_agent::Chat;
use prowess_agent::wire::ChatEntry;
use prowess_store::ChatId;
use serde_json::json;

use super::card::brief;
use crate::error::{CommandError, Context, Result};
use crate::{environment, rewrite, terminal};

/// Writes a chat as Markdown, or as JSON if the file ends with `.json`.
pub(super) fn export(chat: &Chat, file: &str, overwrite: bool) -> Result<()> {
    if file.is_empty() {
        return Err(CommandError::failure("missing file").hint("type `:export FILE`"));
    }
    let home = environment::user_directories().home;
    let path = match (file.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    };
    let is_json = path.extension().is_some_and(|it| it == "json");
    let text = if is_json {
        let entries: Vec<&ChatEntry> = chat.entries().collect();
        let id = chat.id().map(ChatId::as_str);
        let value = json!({
            "id": id, "model": chat.model(), "active": chat.active(), "messages": entries,
        });
        terminal::json(&value).context("cannot write JSON")? + "\n"
    } else {
        markdown(chat)
    };
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(
            CommandError::failure(format!("cannot write `{file}`: it exists"))
                .hint(format!("type `:export! {file}` to overwrite it")),
        );
    }
    // A link that a project holds is not followed.
    rewrite::replace(&path, text.as_bytes()).with_context(|| format!("cannot write `{file}`"))
}

fn markdown(chat: &Chat) -> String {
    let mut text = format!("Model: {}\n", chat.model());
    let mut is_model = false;
    for entry in chat.entries() {
        match entry {
            ChatEntry::User {
                text: said, run, ..
            } => {
                let _ = write!(text, "\n## User\n\n{}\n", said.trim());
                if let Some(run) = run {
                    let _ = write!(text, "\n```\n{}\n```\n", run.content.trim());
                }
                is_model = false;
            }
            ChatEntry::Model {
                text: said, calls, ..
            } => {
                if !std::mem::replace(&mut is_model, true) {
                    text.push_str("\n## Model\n");
                }
                if !said.trim().is_empty() {
                    let _ = write!(text, "\n{}\n", said.trim());
                }
                if !calls.is_empty() {
                    text.push('\n');
                }
                for call in calls {
                    let _ = writeln!(text, "- `{}` {}", call.tool, brief(&call.arguments));
                }
            }
            ChatEntry::Tools { .. } | ChatEntry::Compacted { .. } => {}
        }
    }
    terminal::printable(&text)
}
