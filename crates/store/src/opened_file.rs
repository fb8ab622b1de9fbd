//! Which file a store has open, and whether its path still leads there.

use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The file that a path led to when it was opened.
///
/// Connections have it open as long as the store exists, so that no other file gets its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenedFile {
    path: PathBuf,
    /// Device and inode; none where the system has no such numbers.
    identity: Option<(u64, u64)>,
}

impl OpenedFile {
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            identity: identity(path),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path still leads to the file.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if identity(&self.path) == self.identity {
            return Ok(());
        }
        let path = self.path.clone();
        Err(StoreError::Replaced { path })
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}
