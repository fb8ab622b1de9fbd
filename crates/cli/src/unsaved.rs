//! Turns of chats that could not be saved: a file for each, when the process ends.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use prowess_agent::{Unsaved, UnsavedMessages};

use crate::{configuration, terminal};

/// How many files of one chat there may be.
const FILES: usize = 1_000;

/// The chats of this process whose turns are written when it ends.
static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

struct Watched {
    number: u64,
    unsaved: Unsaved,
    directory: Option<PathBuf>,
}

/// A chat whose unsaved turn is written to a file when this is dropped, or when the process ends without dropping it.
pub(crate) struct UnsavedGuard(u64);

impl UnsavedGuard {
    /// Files are written to `directory`.
    pub(crate) fn new(unsaved: Unsaved, directory: Option<PathBuf>) -> Self {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let number = watched.last().map_or(0, |last| last.number + 1);
        watched.push(Watched {
            number,
            unsaved,
            directory,
        });
        Self(number)
    }
}

impl Drop for UnsavedGuard {
    fn drop(&mut self) {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = watched.iter().position(|watched| watched.number == self.0) {
            let watched = watched.swap_remove(at);
            watched.write();
        }
    }
}

impl Watched {
    fn write(&self) {
        if let Some(messages) = self.unsaved.messages() {
            write(&messages, self.directory.as_deref());
        }
    }
}

/// Writes the unsaved turns of all chats: the process ends now.
pub(crate) fn write_all() {
    // The owner of the lock writes.
    if let Ok(mut watched) = WATCHED.try_lock() {
        for watched in watched.drain(..) {
            watched.write();
        }
    }
}

/// Writes messages to a new file and says so, or that it does not work.
pub(crate) fn write(messages: &UnsavedMessages, directory: Option<&Path>) {
    let chat = &messages.chat;
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no data directory");
    let written = directory
        .ok_or_else(missing)
        .and_then(|directory| create(directory, messages));
    let line = match written {
        Ok(path) => {
            let path = configuration::shown(&path);
            format!("the last turn of chat {chat} is not saved; it was written to {path}")
        }
        Err(error) => format!("the last turn of chat {chat} is lost: cannot write it: {error}"),
    };
    terminal::print_problem(&terminal::printable(&line), None);
}

fn create(directory: &Path, messages: &UnsavedMessages) -> io::Result<PathBuf> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut directories = DirBuilder::new();
    directories.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        options.mode(0o600);
        directories.mode(0o700);
    }
    directories.create(directory)?;
    let chat = messages.chat.as_str();
    for number in 1..FILES {
        let name = match number {
            1 => format!("unsaved-{chat}.json"),
            number => format!("unsaved-{chat}-{number}.json"),
        };
        let path = directory.join(name);
        match options.open(&path) {
            Ok(file) => return fill(file, messages).map(|()| path),
            // That of an earlier turn stays.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, messages: &UnsavedMessages) -> io::Result<()> {
    file.write_all(messages.document().as_bytes())?;
    file.sync_all()
}
