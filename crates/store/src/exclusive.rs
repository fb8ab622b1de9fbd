//! The lock of a file that no other process has open.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// A file of a store that only this process uses until it is dropped.
///
/// SQLite locks the file and its index for as long as a connection is open. The lock covers both as a whole, so it cannot be
/// had before every other connection is closed, and no other can be opened before it is released. A process must not have a
/// connection of its own meanwhile: locks of one process do not exclude each other.
pub(crate) struct ExclusiveFile {
    _locked: Vec<File>,
}

impl ExclusiveFile {
    pub(crate) fn take(path: &Path) -> Result<Self, StoreError> {
        let mut locked = Vec::new();
        for path in [path.to_owned(), beside(path, "-shm")] {
            let file = match File::options().read(true).write(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(source) => {
                    return Err(StoreError::File {
                        action: "open",
                        path,
                        source,
                    });
                }
            };
            lock(&file, &path)?;
            locked.push(file);
        }
        Ok(Self { _locked: locked })
    }
}

#[cfg(unix)]
fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    use rustix::fs::{FlockOperation, fcntl_lock};
    use rustix::io::Errno;
    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive).map_err(|error| {
        let path = path.to_owned();
        match error {
            Errno::AGAIN | Errno::ACCESS => StoreError::InUse { path },
            error => StoreError::File {
                action: "lock",
                path,
                source: error.into(),
            },
        }
    })
}

/// An open file cannot be renamed or replaced here.
#[cfg(not(unix))]
fn lock(_: &File, _: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// A file that SQLite creates beside another one.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
