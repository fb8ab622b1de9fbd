//! What becomes of the changes of a process that was killed: they are finished or undone, and nothing is removed that was
//! not compared before.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use prowess_sources::beneath::{Missing, open_real};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::journal::{Journal, Phase, journal_path};
use crate::step::{Progress, STAGED, Step, Undone, delete};

/// What was done about a process that was killed.
#[derive(Debug, PartialEq, Eq)]
pub struct Recovery {
    /// What became of its changes.
    pub outcome: RecoveryOutcome,
    /// What was found in the place of something else, under the name that it was moved to.
    pub kept: Vec<PathBuf>,
}

/// What became of the changes of a process that was killed.
#[derive(Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// All of them are made.
    Finished,
    /// None of them is made. These were changed by others since, and are as they left them.
    Undone(Vec<PathBuf>),
    /// Some of them are made, and cannot be undone: these.
    Incomplete(Vec<PathBuf>),
    /// Its journal cannot be read. It was moved here, and everything else is as it was.
    Unreadable(PathBuf, String),
}

/// Whether a killed process left changes of a place half made. A process that is at work is no such thing.
pub fn is_interrupted(directory: &Path, journals: &Path) -> bool {
    let Ok(real) = fs::canonicalize(directory) else {
        return false;
    };
    if !journal_path(&real, journals).exists() {
        return false;
    }
    let lock = File::open(&real);
    lock.is_ok_and(|lock| {
        flock(&lock, FlockOperation::NonBlockingLockShared) != Err(Errno::WOULDBLOCK)
    })
}

/// The temporary names in a directory that a killed process left.
pub fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let staged = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGED));
    staged.map(|entry| entry.path()).collect()
}

/// Finishes or undoes what a journal says, under the lock of its place.
pub(crate) fn recover(path: &Path) -> io::Result<Option<Recovery>> {
    // A journal that was being written says nothing. What cannot be removed is written over.
    let _ = fs::remove_file(path.with_extension("new"));
    let mut journal = match Journal::read(path) {
        Ok(None) => return Ok(None),
        Ok(Some(journal)) => journal,
        Err(error) => {
            let moved = move_aside(path)?;
            let outcome = RecoveryOutcome::Unreadable(moved, error.to_string());
            let kept = Vec::new();
            return Ok(Some(Recovery { outcome, kept }));
        }
    };
    let recovery = match journal.phase {
        Phase::Staging => {
            discard(&journal)?;
            Recovery {
                outcome: RecoveryOutcome::Undone(Vec::new()),
                kept: Vec::new(),
            }
        }
        Phase::Changing => finish(path, &mut journal)?,
        Phase::Undoing => undo(&journal.steps, Vec::new())?,
        Phase::Cleaning => Recovery {
            outcome: RecoveryOutcome::Finished,
            kept: clean(&journal.steps)?,
        },
    };
    fs::remove_file(path)?;
    Ok(Some(recovery))
}

fn finish(path: &Path, journal: &mut Journal) -> io::Result<Recovery> {
    let mut all = Vec::new();
    let mut changed = Vec::new();
    let mut is_possible = true;
    for step in &journal.steps {
        let progress = match step.open()? {
            Some(open) => open.progress()?,
            None => Progress::Blocked,
        };
        match progress {
            Progress::Blocked | Progress::DoneOverChange => changed.push(step.path()),
            Progress::Lost => is_possible = false,
            Progress::Ready | Progress::Half | Progress::Done | Progress::Final => {}
        }
        all.push(progress);
    }
    is_possible &= changed.is_empty();
    if is_possible {
        for (step, progress) in journal.steps.iter().zip(all) {
            let finished = match step.open()? {
                Some(open) => open.finish(progress).is_ok(),
                None => false,
            };
            if !finished {
                changed.push(step.path());
                is_possible = false;
                break;
            }
        }
    }
    if is_possible {
        return Ok(Recovery {
            outcome: RecoveryOutcome::Finished,
            kept: clean(&journal.steps)?,
        });
    }
    journal.phase = Phase::Undoing;
    journal.write(path)?;
    undo(&journal.steps, changed)
}

/// Undoes every step that can be. `changed` are those that others changed.
pub(crate) fn undo(steps: &[Step], changed: Vec<PathBuf>) -> io::Result<Recovery> {
    let (mut made, mut kept) = (Vec::new(), Vec::new());
    for step in steps.iter().rev() {
        let undone = match step.open()? {
            Some(open) => open.undo()?,
            None => Undone::Yes,
        };
        match undone {
            Undone::Yes => {}
            Undone::No => made.push(step.path()),
            Undone::Kept(path) => {
                made.push(step.path());
                kept.push(path);
            }
        }
    }
    kept.extend(clean(steps)?);
    let outcome = if made.is_empty() {
        RecoveryOutcome::Undone(changed)
    } else {
        RecoveryOutcome::Incomplete(made)
    };
    Ok(Recovery { outcome, kept })
}

/// Removes what is left under temporary names; returns where something was moved to that is unknown.
pub(crate) fn clean(steps: &[Step]) -> io::Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    let mut last = None;
    for step in steps {
        if let Some(open) = step.open_after(&mut last)? {
            kept.extend(open.clean()?);
        }
    }
    Ok(kept)
}

/// Removes what a transaction wrote that was never made: all of it is its own.
pub(crate) fn discard(journal: &Journal) -> io::Result<()> {
    let names = journal.names();
    for directory in &journal.directories {
        let handle = match open_real(directory, None, Missing::Fail) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?.0,
        };
        for entry in Dir::from_std_file(File::from(handle.try_clone()?)).entries()? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&names) {
                delete(&handle, &name)?;
            }
        }
    }
    Ok(())
}

fn move_aside(journal: &Path) -> io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let moved = journal.with_extension(format!("unreadable-{number}"));
        if !moved.exists() {
            fs::rename(journal, &moved)?;
            return Ok(moved);
        }
        number += 1;
    }
}
