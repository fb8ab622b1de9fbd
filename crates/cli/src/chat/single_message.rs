//! One message, one answer: for scripts, pipes and machines.

use std::io::{self, IsTerminal, Read};

use prowess_agent::limits::MESSAGE_BYTES;
use prowess_agent::wire::AgentEvent;
use prowess_agent::{Chat, Ending, Saved, TurnReport};
use prowess_runtime::Runtime;

use super::answer_pipe::AnswerPipe;
use super::arguments::ChatArguments;
use super::events::EventWriter;
use super::screen::Screen;
use super::turn::{Outgoing, turn};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::terminal;

/// How to send a message without a terminal.
pub(super) const HINT: &str = "send a message with `prowess chat -p MESSAGE`, or pipe it in";

pub(super) const EMPTY: &str = "the model returned an empty answer";
pub(super) const LENGTH: &str = "the answer reached its length limit";
pub(super) const FILTERED: &str = "the provider blocked the answer";

/// The message: the argument, followed by the piped input.
pub(super) fn message(arguments: &ChatArguments) -> Result<String> {
    let piped = piped().context("cannot read standard input")?;
    let typed = arguments.prompt.as_deref().unwrap_or_default();
    let message = match (typed.trim().is_empty(), piped.trim().is_empty()) {
        (true, _) => piped,
        (false, true) => typed.to_owned(),
        (false, false) => format!("{typed}\n\n{piped}"),
    };
    if message.trim().is_empty() {
        return Err(CommandError::usage("missing message").hint(HINT));
    }
    Ok(message)
}

/// The piped input. A terminal, a socket or a closed input is not read.
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
            "{all} bytes, at most {limit} allowed; move the rest to a file"
        )));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("not UTF-8 text"))
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

/// Sends the message and prints the answer.
pub(super) async fn send(
    chat: &mut Chat,
    message: &str,
    global: &Global,
    screen: &Screen,
    events: &EventWriter,
    runtime: &Runtime,
    interrupts: &mut Interrupts,
) -> Result<Exit> {
    events.write_chat(chat)?;
    if !events.enabled {
        screen.begin();
    }
    let pipe = AnswerPipe::default();
    let is_piped = !events.enabled && !io::stdout().is_terminal();
    let show = |event: AgentEvent| {
        if events.enabled {
            events.write(&event);
            return;
        }
        if is_piped {
            pipe.write(&event, runtime.changes_answers());
        }
        screen.show(&event);
    };
    let Some(done) = turn(chat, Outgoing::Message(message), &show, interrupts, || ()).await else {
        return Err(CommandError::interrupted());
    };
    if !events.enabled {
        screen.end(done.as_ref().ok());
    }
    let answer = done.as_ref().map_or("", |report| &report.text);
    let written = if is_piped { pipe.end(answer) } else { Ok(()) };
    let report = done?;
    written?;
    if let Some(failure) = &report.failure {
        return Err(failure.into());
    }
    if report.saved == Saved::NotYet {
        // The event said why; what becomes of the turn is said when it is written elsewhere.
        return Ok(Exit::Failure);
    }
    let (why, exit) = ended(&report);
    if let Some(why) = why.filter(|_| !global.quiet) {
        terminal::note(why);
    }
    Ok(exit)
}

/// The message about the end of a turn, and the exit code.
fn ended(report: &TurnReport) -> (Option<&'static str>, Exit) {
    let why = match report.ending {
        _ if report.saved == Saved::Elsewhere => {
            "not saved: this chat was changed by another process"
        }
        Ending::Answered if !report.text.trim().is_empty() => return (None, Exit::Success),
        Ending::Answered => EMPTY,
        Ending::Activated => {
            let why = "the message contains only the name of a skill; no request was sent";
            return (Some(why), Exit::Success);
        }
        Ending::Length => LENGTH,
        Ending::Filtered => FILTERED,
        Ending::TooManyRounds => "too many rounds of tool calls",
        Ending::Cancelled => "interrupted",
        Ending::Failed => "the answer is incomplete",
    };
    (Some(why), Exit::Failure)
}
