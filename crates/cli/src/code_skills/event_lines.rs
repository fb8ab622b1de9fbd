//! Prints the events of code skills as lines on stderr.

use prowess_runtime::{ActivationState, Listener, RuntimeEvent};

use crate::terminal;

/// Returns a listener that prints the events a user should see.
pub(super) fn listener(quiet: bool) -> Listener {
    Listener::new(move |event| {
        if let Some(line) = line(&event).filter(|_| !quiet) {
            terminal::note(&terminal::printable(&line));
        }
    })
}

fn line(event: &RuntimeEvent) -> Option<String> {
    Some(match event {
        RuntimeEvent::Log { skill, message } => format!("{skill}: {message}"),
        RuntimeEvent::Denied {
            skill,
            call,
            reason,
        } => format!("{skill}: {call} denied: {reason}"),
        RuntimeEvent::HookFailed {
            skill,
            phase,
            reason,
        } => format!("{skill}: {phase} failed: {reason}"),
        RuntimeEvent::CancelIgnored { skill, phase } => {
            format!("{skill}: {phase} cannot be cancelled")
        }
        RuntimeEvent::WorkerEnded { skill, reason } => format!("{skill}: {reason}"),
        RuntimeEvent::Changed {
            skill,
            from: ActivationState::Active,
            to,
            reason,
        } if *to == ActivationState::Error || reason.contains("its files changed") => {
            format!("{skill}: {to}: {reason}")
        }
        RuntimeEvent::Changed { .. } => return None,
    })
}
