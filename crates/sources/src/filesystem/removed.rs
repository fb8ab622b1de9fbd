//! Skills that are being removed: the names under which they lie until nothing of them is left.
//!
//! The name of such a directory has the path of the skill, so that a process that starts later can put it back. It has
//! another name as soon as it is sure that the skill goes; what lies under that one is erased.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, RenameFlags, renameat_with};

use super::write::remove_all;
use crate::beneath::{Missing, open_directory, temporary_name};

/// The start of the name of a skill that may have to be put back.
const MOVED: &str = ".prowess-removing-";
/// The start of the name of one that goes.
const GOING: &str = ".prowess-removed-";

/// A name for the skill in a directory below the root.
pub(super) fn name_for(relative: &Path) -> String {
    // As many as `temporary_name` makes, then the path.
    let unique = temporary_name();
    let unique = unique.trim_start_matches('.');
    let path = relative.to_string_lossy();
    let path = path.replace('%', "%25").replace('/', "%2F");
    format!("{MOVED}{unique}={path}")
}

/// The path of the skill that lies under such a name.
fn path_of(name: &str) -> Option<PathBuf> {
    let (_, path) = name.strip_prefix(MOVED)?.split_once('=')?;
    Some(path.replace("%2F", "/").replace("%25", "%").into())
}

/// Erases a skill that was moved away and is what its client knew.
pub(super) fn erase(root: &OwnedFd, moved: &str) -> io::Result<()> {
    let going = moved.replacen(MOVED, GOING, 1);
    renameat_with(root, moved, root, &going, RenameFlags::NOREPLACE)?;
    remove_all(root, &going)
}

/// Puts back what lies under the names of killed processes, and erases what was to go. The root is locked.
pub(super) fn put_back(root: &OwnedFd) -> io::Result<usize> {
    let names: Vec<String> = Dir::read_from(root)?
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .collect();
    let mut back = 0;
    for name in names {
        if name.starts_with(GOING) {
            remove_all(root, &name)?;
        } else if let Some(relative) = path_of(&name) {
            back += usize::from(put_back_one(root, &name, &relative)?);
        }
    }
    Ok(back)
}

/// A skill whose place is taken by another one stays where it is: both are of a user.
fn put_back_one(root: &OwnedFd, name: &str, relative: &Path) -> io::Result<bool> {
    let above = relative.parent().unwrap_or(Path::new(""));
    let Some(last) = relative.file_name().and_then(OsStr::to_str) else {
        return Ok(false);
    };
    let above = open_directory(root.try_clone()?, above, Missing::Make)?;
    match renameat_with(root, name, &above, last, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
