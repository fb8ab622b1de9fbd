//! Copies of what cannot be renamed, such as a directory of a lower layer of an overlay.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt, PermissionsExt};
use rustix::fs::{readlinkat, renameat, symlinkat};

use crate::fingerprint::entries_at;

/// Copies a name to another one of its directory, with the modes of files, and waits until the copy is on disk. Each file
/// is written under the name `part` first: a copy that was interrupted has fewer files, and none that is cut short.
pub(crate) fn copy_aside(handle: &OwnedFd, from: &str, to: &str, part: &str) -> io::Result<()> {
    let directory = Dir::from_std_file(File::from(handle.try_clone()?));
    copy(&directory, from, to, part)
}

fn copy(directory: &Dir, from: &str, to: &str, part: &str) -> io::Result<()> {
    let metadata = directory.symlink_metadata(from)?;
    if metadata.is_symlink() {
        let target = readlinkat(directory, from, Vec::new())?;
        return Ok(symlinkat(&target, directory, to)?);
    }
    let mode = metadata.permissions().mode();
    if metadata.is_dir() {
        let mut builder = DirBuilder::new();
        directory.create_dir_with(to, builder.mode(mode))?;
        for entry in directory.read_dir(from)? {
            let name = entry?.file_name();
            let name = name
                .to_str()
                .ok_or_else(|| io::Error::other("a name that is not UTF-8"))?;
            copy(
                directory,
                &format!("{from}/{name}"),
                &format!("{to}/{name}"),
                part,
            )?;
        }
        return Ok(());
    }
    if !metadata.is_file() {
        return Err(io::Error::other(format!("cannot copy {from}")));
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(mode);
    let mut source = directory.open(from)?;
    let mut target = directory.open_with(part, &options)?;
    io::copy(&mut source, &mut target)?;
    target.sync_all()?;
    Ok(renameat(directory, part, directory, to)?)
}

/// Whether every file of a directory is in another one, with the same content. What is no directory is part of nothing.
pub(crate) fn is_part_of(handle: &OwnedFd, part: &str, whole: &str) -> io::Result<bool> {
    let directory = Dir::from_std_file(File::from(handle.try_clone()?));
    let is_directory = |name| {
        directory
            .symlink_metadata(name)
            .is_ok_and(|found| found.is_dir())
    };
    if directory.symlink_metadata(part).is_err() {
        return Ok(true);
    }
    if !is_directory(part) || !is_directory(whole) {
        return Ok(false);
    }
    let whole = entries_at(handle, whole)?;
    let part = entries_at(handle, part)?;
    Ok(part.iter().all(|entry| whole.binary_search(entry).is_ok()))
}
