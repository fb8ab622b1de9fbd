//! What this machine was last changed to, place by place: the base of merges, and the reason to keep a package.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prowess_policy::ContentDigest;
use sha2::{Digest, Sha256};

use crate::data_files::{files_in, is_old};
use crate::lock::{LockError, LockFile};

/// What is before the root of a place, in a line of its note.
const ROOT: &str = "# root: ";
/// What is before the digest of the rest, in the line before it.
const DIGEST: &str = "# digest: ";
/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;
/// Seconds that a place stays that was found missing.
const GONE: u64 = 30 * DAY;
/// A part of the name of a note that could not be read.
const UNREADABLE: &str = "unreadable";

/// The note of one place. It is written by the transaction that changes the place.
pub struct AppliedNote {
    path: PathBuf,
    root: PathBuf,
}

/// Why a note cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It was cut short, or changed.
    #[error("it is incomplete")]
    Incomplete,
    /// It is of a newer version of Prowess, or malformed.
    #[error(transparent)]
    Invalid(#[from] LockError),
}

impl AppliedNote {
    pub(crate) fn new(directory: &Path, name: &str, root: &Path) -> Self {
        Self {
            path: directory.join(format!("{name}.lock")),
            root: root.to_owned(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says of a lock file.
    pub fn text(&self, lock: &LockFile) -> String {
        // A root that cannot be written as a line is never taken for gone.
        let root = self.root.to_str();
        let root = root.filter(|root| !root.contains(char::is_control));
        let root = root.map(|root| format!("{ROOT}{root}\n"));
        let lock = lock.render();
        format!(
            "{}{DIGEST}{}\n{lock}",
            root.unwrap_or_default(),
            digest(&lock)
        )
    }

    /// The lock file that was applied; `None` if there is no note.
    pub fn read(&self) -> Result<Option<LockFile>, NoteError> {
        let Some(text) = read(&self.path)? else {
            return Ok(None);
        };
        Ok(Some(LockFile::parse(complete(&text)?)?))
    }

    /// Moves a note that cannot be read out of the way of the next one. It keeps every package for 30 days more.
    pub fn set_aside(&self) -> io::Result<()> {
        let mut number = 1;
        loop {
            let moved = self.path.with_extension(format!("{UNREADABLE}-{number}"));
            if !moved.exists() {
                fs::rename(&self.path, &moved)?;
                // From now on, whenever it was written.
                return fs::File::open(moved)?.set_modified(SystemTime::now());
            }
            number += 1;
        }
    }
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => Ok(Some(text?)),
    }
}

fn digest(text: &str) -> String {
    ContentDigest(Sha256::digest(text).into()).to_string()
}

/// The lock file in a note, if the note is whole. Notes of earlier versions have no digest.
fn complete(text: &str) -> Result<&str, NoteError> {
    let rest = match text.strip_prefix(ROOT) {
        Some(rest) => rest.split_once('\n').ok_or(NoteError::Incomplete)?.1,
        None => text,
    };
    let Some(stated) = rest.strip_prefix(DIGEST) else {
        return Ok(rest);
    };
    match stated.split_once('\n') {
        Some((stated, lock)) if stated == digest(lock) => Ok(lock),
        _ => Err(NoteError::Incomplete),
    }
}

/// The packages that the notes of a directory name, without those of places that have been gone for 30 days; `None` if a
/// note cannot be read.
pub(crate) fn used_packages(directory: &Path, now: SystemTime) -> Option<BTreeSet<String>> {
    let mut used = BTreeSet::new();
    for path in files_in(directory) {
        let extension = path
            .extension()
            .and_then(|it| it.to_str())
            .unwrap_or_default();
        if extension.starts_with(UNREADABLE) {
            if !is_old(&path, now) {
                return None;
            }
            let _ = fs::remove_file(&path);
        }
        if extension != "lock" {
            continue;
        }
        let text = read(&path).ok()?.unwrap_or_default();
        let lock = match complete(&text).map(LockFile::parse) {
            Ok(Ok(_) | Err(LockError::Newer(_))) => text.as_str(),
            _ => return None,
        };
        let root = text.lines().next().and_then(|line| line.strip_prefix(ROOT));
        if root.is_some_and(|root| is_gone(&path, Path::new(root), now)) {
            let _ = fs::remove_file(&path);
            let _ = fs::remove_file(path.with_extension("gone"));
            continue;
        }
        // Not as a lock file: one of a newer version names packages, too.
        let digest = |line: &str| {
            let digest = line.strip_prefix("digest = \"sha256:")?;
            Some(digest.trim_end_matches('"').to_owned())
        };
        used.extend(lock.lines().filter_map(digest));
    }
    Some(used)
}

/// Whether a root was first found missing 30 days ago, and has been missing each time since.
///
/// The clock can be wrong, then and now. A time before the note was written, or in the future, was. Where no command looked for
/// 30 days, the clock may have jumped: the place gets a day more, in which it may jump back.
fn is_gone(note: &Path, root: &Path, now: SystemTime) -> bool {
    let mark = note.with_extension("gone");
    if root.exists() {
        // Most places have none.
        let _ = fs::remove_file(mark);
        return false;
    }
    let now = seconds(now);
    let written = fs::metadata(note).and_then(|found| found.modified());
    let written = written.map_or(0, seconds);
    let times = fs::read_to_string(&mark).ok().and_then(|text| {
        let (first, last) = text.trim().split_once(' ')?;
        Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
    });
    let first = match times {
        Some((first, last)) if first < written || last > now || first > last => now,
        Some((first, last)) if now - last > GONE => first.max(now + DAY - GONE),
        Some((first, _)) => first,
        None => now,
    };
    // Without it, the place counts as found missing at a later time.
    let _ = fs::write(mark, format!("{first} {now}"));
    now - first > GONE
}

fn seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}
