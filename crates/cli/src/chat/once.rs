//! One message, one answer: for scripts, pipes and machines.

use std::io::{self, IsTerminal, Read};

use anyhow::{Context, Result};
use prowess_agent::limits::MESSAGE_BYTES;
use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Cancel, Chat, Ending};
use serde_json::json;

use super::arguments::ChatArguments;
use super::screen::Screen;
use crate::cli::Global;
use crate::exit::{Exit, Refused};
use crate::{model, terminal};

/// The message: what was typed, and what was piped in behind it.
pub(super) fn message(arguments: &ChatArguments) -> Result<String> {
    let piped = piped().context("cannot read standard input")?;
    let typed = arguments.prompt.as_deref().unwrap_or_default();
    let message = match (typed.trim().is_empty(), piped.trim().is_empty()) {
        (true, _) => piped,
        (false, true) => typed.to_owned(),
        (false, false) => format!("{typed}\n\n{piped}"),
    };
    if message.trim().is_empty() {
        return Err(Refused::usage(
            "there is no message",
            "say something with -p, or pipe it in; in a terminal, `prowess chat` asks for it",
        )
        .into());
    }
    Ok(message)
}

/// What is piped in. A terminal, a socket or nothing at all is not waited for.
fn piped() -> io::Result<String> {
    if !is_piped() {
        return Ok(String::new());
    }
    // One byte more than can be sent, so that too much is seen.
    let limit = u64::try_from(MESSAGE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MESSAGE_BYTES {
        let rest = io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        let all = u64::try_from(bytes.len())
            .unwrap_or(u64::MAX)
            .saturating_add(rest);
        return Err(io::Error::other(format!(
            "it has {all} bytes, and at most {limit} can be sent; put the rest into a file"
        )));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

#[cfg(unix)]
fn is_piped() -> bool {
    use rustix::fs::{FileType, fstat};
    let Ok(stat) = fstat(io::stdin()) else {
        return false;
    };
    matches!(
        FileType::from_raw_mode(stat.st_mode),
        FileType::Fifo | FileType::RegularFile
    )
}

#[cfg(not(unix))]
fn is_piped() -> bool {
    !io::stdin().is_terminal()
}

/// Whether a person is there to talk with.
pub(super) fn is_conversation(arguments: &ChatArguments) -> bool {
    arguments.prompt.is_none() && io::stdin().is_terminal()
}

/// Says the message and prints the answer.
pub(super) async fn say(
    chat: &mut Chat,
    message: &str,
    arguments: &ChatArguments,
    global: &Global,
    screen: &Screen,
) -> Result<Exit> {
    let cancel = Cancel::new();
    let as_json = arguments.json;
    if as_json {
        let id = chat.id().map(prowess_store::ChatId::as_str);
        line(&json!({"type": "chat", "id": id, "model": chat.model()}))?;
    } else {
        screen.begin();
    }
    let tell = |event: AgentEvent| {
        if as_json {
            // Whoever closed the pipe does not want to read.
            let _ = serde_json::to_value(&event).map(|event| line(&event));
        } else {
            screen.tell(&event);
        }
    };
    let turn = chat.turn(message, &[], &tell, &cancel);
    let mut turn = std::pin::pin!(turn);
    let done = loop {
        tokio::select! {
            done = &mut turn => break done,
            _ = tokio::signal::ctrl_c() => {
                if cancel.is_cancelled() {
                    anyhow::bail!("interrupted");
                }
                cancel.cancel();
            }
        }
    };
    if !as_json {
        screen.end(done.as_ref().ok());
    }
    let report = match done {
        Ok(report) => report,
        Err(error) => {
            if as_json && !matches!(error, AgentError::Provider(_) | AgentError::Store(_)) {
                let reason = error.to_string();
                line(&serde_json::to_value(AgentEvent::Failed { reason })?)?;
            }
            return Err(model::not_made(&error).into());
        }
    };
    if !as_json && !io::stdout().is_terminal() && !report.text.is_empty() {
        let end = if report.text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        terminal::print(&format!("{}{end}", report.text))?;
    }
    if let Some(failure) = &report.failure {
        return Err(model::refused(failure).into());
    }
    let why = match report.ending {
        Ending::Answered => return Ok(Exit::Success),
        Ending::Activated => {
            "there was only a skill's name in the message, so the model was not asked"
        }
        Ending::Length => "the answer reached its limit",
        Ending::Filtered => "the provider objects to the answer",
        Ending::TooManyRounds => "there were too many rounds of tool calls",
        Ending::Cancelled => "interrupted",
        Ending::Failed => "the answer broke off",
    };
    if !global.quiet {
        terminal::note(why);
    }
    Ok(match report.ending {
        Ending::Activated => Exit::Success,
        _ => Exit::Failure,
    })
}

fn line(value: &serde_json::Value) -> io::Result<()> {
    terminal::print(&format!("{value}\n"))
}
