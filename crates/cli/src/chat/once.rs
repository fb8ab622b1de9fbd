//! One message, one answer: for scripts, pipes and machines.

use std::io::{self, IsTerminal, Read};

use anyhow::{Context, Result};
use prowess_agent::limits::MESSAGE_BYTES;
use prowess_agent::wire::AgentEvent;
use prowess_agent::{Chat, Ending, Saved, TurnReport};

use super::arguments::ChatArguments;
use super::events::Events;
use super::screen::Screen;
use super::turn::turn;
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
    global: &Global,
    screen: &Screen,
    events: &Events,
) -> Result<Exit> {
    events.begin(chat)?;
    if !events.wanted {
        screen.begin();
    }
    let tell = |event: AgentEvent| {
        if events.wanted {
            events.tell(&event);
        } else {
            screen.tell(&event);
        }
    };
    let Some(done) = turn(chat, message, &tell, || ()).await else {
        anyhow::bail!("interrupted");
    };
    if !events.wanted {
        screen.end(done.as_ref().ok());
    }
    let report = done.map_err(|error| model::not_made(&error))?;
    if !events.wanted && !io::stdout().is_terminal() && !report.text.is_empty() {
        let text = report.text.trim_end_matches('\n');
        let text = format!("{text}\n");
        terminal::print_content(text.as_bytes(), terminal::Content::ForReader)?;
    }
    if let Some(failure) = &report.failure {
        return Err(model::refused(failure).into());
    }
    let (why, exit) = ended(&report);
    if let Some(why) = why.filter(|_| !global.quiet) {
        terminal::note(why);
    }
    Ok(exit)
}

/// What there is to say about how a turn ended, and the exit code.
fn ended(report: &TurnReport) -> (Option<&'static str>, Exit) {
    let why = match report.ending {
        _ if report.saved == Saved::Elsewhere => {
            "somebody else went on with the chat meanwhile, so this is not kept"
        }
        Ending::Answered if !report.text.trim().is_empty() => return (None, Exit::Success),
        Ending::Answered => "the answer is empty",
        Ending::Activated => {
            let why = "there was only a skill's name in the message, so the model was not asked";
            return (Some(why), Exit::Success);
        }
        Ending::Length => "the answer reached its limit",
        Ending::Filtered => "the provider objects to the answer",
        Ending::TooManyRounds => "there were too many rounds of tool calls",
        Ending::Cancelled => "interrupted",
        Ending::Failed => "the answer broke off",
    };
    (Some(why), Exit::Failure)
}
