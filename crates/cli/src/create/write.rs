//! Putting a new skill where it belongs: all of it, or nothing.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::render::File;
use crate::error::{Context, Result};
use crate::rewrite;

/// Whether files that are there may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    Keep,
    Replace,
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Written,
    /// The directory exists; nothing was written.
    DirectoryExists,
    /// Something else exists at the path; nothing was written.
    NotADirectory,
}

/// Writes the files of a skill into its directory. Other files are unchanged.
pub(super) fn write(directory: &Path, files: &[File], existing: Existing) -> Result<Outcome> {
    match fs::symlink_metadata(directory) {
        Ok(found) if !found.is_dir() => return Ok(Outcome::NotADirectory),
        Ok(_) if existing == Existing::Keep => return Ok(Outcome::DirectoryExists),
        Ok(_) => replace(directory, files)?,
        Err(_) => make(directory, files)?,
    }
    Ok(Outcome::Written)
}

/// A new directory appears whole.
fn make(directory: &Path, files: &[File]) -> Result<()> {
    let parent = directory.parent().unwrap_or(Path::new("."));
    let cannot = || format!("cannot write to {}", parent.display());
    rewrite::make_directories(parent).with_context(cannot)?;
    let staging = tempfile::Builder::new()
        .prefix(".prowess-create-")
        .tempdir_in(parent)
        .with_context(cannot)?;
    // One level down: the staging directory itself is private.
    let staged = staging.path().join("skill");
    for file in files {
        let path = staged.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(&staged)).with_context(cannot)?;
        let mut out = fs::File::create(&path).with_context(cannot)?;
        out.write_all(file.text.as_bytes()).with_context(cannot)?;
        out.sync_all().with_context(cannot)?;
    }
    let renamed = fs::rename(&staged, directory);
    renamed.with_context(|| format!("cannot create {}", directory.display()))
}

/// Each file has the new text or the old one.
fn replace(directory: &Path, files: &[File]) -> Result<()> {
    for file in files {
        let path = directory.join(&file.path);
        let cannot = || format!("cannot write {}", path.display());
        rewrite::make_directories(path.parent().unwrap_or(directory)).with_context(cannot)?;
        rewrite::replace(&path, file.text.as_bytes()).with_context(cannot)?;
    }
    Ok(())
}
