//! Moves a damaged file out of the way, when a user asks for that.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::StoreError;
use crate::exclusive::{ExclusiveFile, beside};
use crate::file::BESIDE;
use crate::inspect::inspect;
use crate::open::StoreBackend;

/// What a repair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// The store is not damaged; nothing was changed.
    NotNeeded,
    /// The damaged file has another name, and the next use creates a new store.
    MovedAside {
        /// Its new name.
        aside: PathBuf,
        /// What was wrong with it.
        reason: String,
    },
}

/// Renames the file of a store if it is damaged and no other process has it open. Everything else is an error.
pub async fn repair(path: &Path) -> Result<Repair, StoreError> {
    let before = Stamp::of(path);
    let reason = match inspect(StoreBackend::File(path.to_owned())).await {
        Ok(_) => return Ok(Repair::NotNeeded),
        Err(StoreError::Damaged { reason, .. }) => reason,
        Err(other) => return Err(other),
    };
    // SQLite follows a link, and puts its other files beside what the link leads to.
    let path = path.canonicalize().map_err(|source| StoreError::File {
        action: "find",
        path: path.to_owned(),
        source,
    })?;
    let _alone = ExclusiveFile::take(&path)?;
    if before != Stamp::of(&path) {
        // Another process was faster, or replaced the file by one that was not looked at.
        return Err(StoreError::Replaced { path });
    }
    let aside = free_name(&path, "broken");
    rename(&path, &aside)?;
    Ok(Repair::MovedAside { aside, reason })
}

/// A version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp(u64, SystemTime);

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self(metadata.len(), metadata.modified().ok()?))
    }
}

/// A name beside a file that nothing has yet.
pub(crate) fn free_name(path: &Path, word: &str) -> PathBuf {
    let named = |number: u32| path.with_extension(format!("{word}-{number}"));
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    named(number)
}

/// The file comes last: what SQLite put beside it must not be found beside a new one.
fn rename(path: &Path, aside: &Path) -> Result<(), StoreError> {
    for end in BESIDE.into_iter().chain([""]) {
        let from = beside(path, end);
        match fs::rename(&from, beside(aside, end)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::File {
                    action: "rename",
                    path: from,
                    source: error,
                });
            }
            _ => {}
        }
    }
    Ok(())
}
