//! A file that is not a store, or a corrupt one, is renamed: the next store is a new one, and nothing is lost.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::StoreError;
use crate::file::BESIDE;

/// A version of a file: another process may have replaced the broken one already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64, SystemTime);

impl Stamp {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self(metadata.len(), metadata.modified().ok()?))
    }
}

/// Whether an error of SQLite says that the file is unusable.
pub(crate) fn is_broken(reason: &str) -> bool {
    reason.contains("not a database")
        || reason.contains("malformed")
        || reason.contains("disk image")
}

/// Renames a file that cannot be used, to a name that nothing has yet. One that changed since is left alone.
pub(crate) fn set_aside(path: &Path, stamp: Option<Stamp>, reason: String) -> StoreError {
    if stamp.is_none() || stamp != Stamp::of(path) {
        return StoreError::Database {
            action: "open",
            reason,
        };
    }
    // SQLite follows a link, and puts its other files beside what the link leads to.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let named = |number: u32| path.with_extension(format!("broken-{number}"));
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    let aside = named(number);
    match rename(&path, &aside) {
        Ok(()) => StoreError::Broken {
            path,
            aside,
            reason,
        },
        Err(error) => StoreError::Database {
            action: "rename",
            reason: format!("{reason}; {error}"),
        },
    }
}

/// The file comes last: what SQLite put beside it must not be found beside a new one.
fn rename(path: &Path, aside: &Path) -> io::Result<()> {
    let beside = |path: &Path, end: &str| {
        let mut name: OsString = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    for end in BESIDE {
        match fs::rename(beside(path, end), beside(aside, end)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, aside)
}
