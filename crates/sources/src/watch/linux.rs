//! Watching with inotify, for changes only.
//!
//! The crate for other systems also reports every opening of a file, including our own. The exact change is irrelevant:
//! everything is scanned again, which is cheap if nothing changed, so lost events or new directories are not missed.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

use super::{QUIET, WatchError, existing};

/// Maximum delay of a refresh during continuous changes.
const PATIENCE: Duration = Duration::from_secs(1);
/// Directories inside each other that are watched.
const DEPTH: usize = 32;

/// A thread that waits for changes, until this is dropped.
pub(super) struct Watching {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(super) fn watch(
    directories: Vec<PathBuf>,
    changed: impl Fn() + Send + 'static,
) -> Result<Watching, WatchError> {
    let failed = |reason: Errno| WatchError {
        path: directories.first().cloned().unwrap_or_default(),
        reason: reason.into(),
    };
    let flags = CreateFlags::CLOEXEC | CreateFlags::NONBLOCK;
    let events = inotify::init(flags).map_err(failed)?;
    let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(failed)?);
    add_all(&events, &directories)?;
    let stopped = Arc::clone(&stop);
    let thread = thread::spawn(move || {
        while wait(&events, &stopped) {
            // Before the scan, so that changes during the scan are noticed.
            let _ = add_all(&events, &directories);
            changed();
        }
    });
    Ok(Watching {
        stop,
        thread: Some(thread),
    })
}

/// Waits for a change followed by a quiet period; returns whether to continue.
fn wait(events: &OwnedFd, stop: &OwnedFd) -> bool {
    let mut first: Option<Instant> = None;
    loop {
        let timeout = match first {
            None => None,
            Some(first) if first.elapsed() > PATIENCE => return true,
            Some(_) => Some(Timespec {
                tv_sec: 0,
                tv_nsec: QUIET.subsec_nanos().into(),
            }),
        };
        let mut fds = [
            PollFd::new(events, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Err(Errno::INTR) => continue,
            Err(_) => return false,
            Ok(0) => return true,
            Ok(_) => {}
        }
        let [_, stop] = &fds;
        if !stop.revents().is_empty() {
            return false;
        }
        drain(events);
        first.get_or_insert_with(Instant::now);
    }
}

/// Reads events away: that there were some is all that counts.
fn drain(events: &OwnedFd) {
    let mut buffer = [0_u8; 4096];
    while rustix::io::read(events, &mut buffer).is_ok_and(|length| length > 0) {}
}

/// Watches every directory, those that are watched already too.
fn add_all(events: &OwnedFd, directories: &[PathBuf]) -> Result<(), WatchError> {
    for directory in directories {
        let existing = existing(directory);
        let depth = if existing == directory { DEPTH } else { 0 };
        add(events, existing, depth).map_err(|reason| WatchError {
            path: existing.to_owned(),
            reason,
        })?;
    }
    Ok(())
}

fn add(events: &OwnedFd, directory: &Path, depth: usize) -> io::Result<()> {
    let changes = WatchFlags::ATTRIB
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR;
    match inotify::add_watch(events, directory, changes) {
        Ok(_) => {}
        // It was removed, or is not readable.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    if depth == 0 {
        return Ok(());
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let kind = entry.file_type();
        // Links in the root itself are followed when skills are looked for, so they are here.
        let link = depth == DEPTH && kind.as_ref().is_ok_and(fs::FileType::is_symlink);
        let directory = kind.is_ok_and(|kind| kind.is_dir()) || (link && entry.path().is_dir());
        if directory && !hidden && entry.file_name() != "node_modules" {
            add(events, &entry.path(), depth - 1)?;
        }
    }
    Ok(())
}
