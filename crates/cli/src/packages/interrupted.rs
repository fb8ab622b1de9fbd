//! What is said about commands that were interrupted, and about files that change while a command works.

use std::path::{Path, PathBuf};

use prowess_registry::{Recovery, RecoveryOutcome};

use super::session::Session;
use crate::error::{CommandError, ErrorKind, Result};
use crate::{configuration, terminal};

/// How often a command starts over.
const TRIES: usize = 5;

/// Does something again from the start if what it was planned from changed before it was done.
pub(super) fn until_unchanged<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..TRIES {
        match attempt() {
            Err(error) if error.kind == ErrorKind::Changed => {
                terminal::note(&format!("{error}; starting over"));
            }
            done => return done,
        }
    }
    attempt().map_err(|error| match error.kind {
        ErrorKind::Changed => CommandError::failure(format!(
            "{error}, {TRIES} times: another program is changing the files"
        ))
        .hint("run the command again when that program is done"),
        _ => error,
    })
}

/// Says what was done about a command that was interrupted. Fails if neither it nor the state before can be restored.
pub(super) fn report(recovery: &Recovery) -> Result<()> {
    report_kept(&recovery.kept);
    match &recovery.outcome {
        RecoveryOutcome::Finished => {
            terminal::note("finished the changes of a command that was interrupted");
        }
        RecoveryOutcome::Undone(changed) => {
            terminal::note("undid the changes of a command that was interrupted");
            for path in changed {
                terminal::note(&format!("{} was changed since, and stays", shown(path)));
            }
        }
        RecoveryOutcome::Incomplete(paths) => {
            let paths = paths.iter().map(|path| shown(path));
            let paths = paths.collect::<Vec<_>>().join(", ");
            return Err(CommandError::failure(format!(
                "a command was interrupted, and can be neither finished nor undone: {paths} as it wanted, the rest as before"
            ))
            .hint("`prowess verify` names what differs from prowess.lock; `prowess sync --force` restores it"));
        }
        RecoveryOutcome::Unreadable(moved, reason) => {
            let moved = shown(moved);
            terminal::note(&format!(
                "warning: the journal of a command that was interrupted cannot be read: {reason}; it was moved to {moved}"
            ));
            terminal::hint(
                "`prowess verify` names what differs from prowess.lock; `prowess doctor` names files that were left",
            );
        }
    }
    Ok(())
}

/// Names what was moved aside because it was written in the last moment.
pub(super) fn report_kept(kept: &[PathBuf]) {
    for path in kept {
        let path = shown(path);
        terminal::note(&format!(
            "warning: files were changed while they were replaced; they are in {path}"
        ));
    }
}

/// Says that a command was interrupted, for commands that only read.
pub(crate) fn note_waiting(session: &Session<'_>) {
    if session.is_interrupted() {
        let skills = configuration::shown(&session.place.skills());
        terminal::note(&format!(
            "warning: a command was interrupted while it changed {skills}"
        ));
        terminal::hint(WAITING_HINT);
    }
}

/// What finishes a command that was interrupted.
pub(super) const WAITING_HINT: &str = "`prowess sync` finishes or undoes it";

fn shown(path: &Path) -> String {
    terminal::one_line(&configuration::shown(path)).into_owned()
}
