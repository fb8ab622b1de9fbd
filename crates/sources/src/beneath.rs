//! Opening directories and making files below a directory without following links: a link that appears meanwhile
//! changes nothing.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, fstat, mkdirat, openat, statat,
};
use rustix::io::Errno;

use crate::temporary::TEMPORARY;

/// What to do about a directory that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Fail.
    Fail,
    /// Make it.
    Make,
}

/// The error for a symbolic link where none may be.
pub fn is_link(path: &Path) -> io::Error {
    let message = format!(
        "`{}` is a symbolic link; hint: use the file or directory that it points to",
        path.display()
    );
    io::Error::other(message)
}

/// Opens a directory below `start`. Only plain names of `path` are used.
pub fn open_directory(start: OwnedFd, path: &Path, missing: Missing) -> io::Result<OwnedFd> {
    let mut directory = start;
    let mut walked = PathBuf::new();
    for part in path.components() {
        let Component::Normal(name) = part else {
            continue;
        };
        walked.push(name);
        directory = match step(&directory, name, missing) {
            Ok(next) => next,
            Err(Errno::LOOP | Errno::NOTDIR) if is_symlink(&directory, name) => {
                return Err(is_link(&walked));
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(directory)
}

fn step(directory: &OwnedFd, name: &OsStr, missing: Missing) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(directory, name, flags, Mode::empty());
    if opened.as_ref().err() != Some(&Errno::NOENT) || missing == Missing::Fail {
        return opened;
    }
    match mkdirat(directory, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => openat(directory, name, flags, Mode::empty()),
        Err(error) => Err(error),
    }
}

/// Opens a directory by its real path, which it returns, too. With `within`, that path must be below one of these
/// directories; no link is followed after it was checked.
pub fn open_real(
    path: &Path,
    within: Option<&[PathBuf]>,
    missing: Missing,
) -> io::Result<(OwnedFd, PathBuf)> {
    let existing = path.ancestors().find(|it| it.exists()).unwrap_or(path);
    let real = fs::canonicalize(existing)?;
    if let Some(within) = within {
        let mut allowed = within.iter().filter_map(|it| fs::canonicalize(it).ok());
        if !allowed.any(|it| real.starts_with(it)) {
            let message = "its directory is a link that leaves the project";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    }
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let start = rustix::fs::open("/", flags, Mode::empty())?;
    let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let opened = open_directory(start, &real, Missing::Fail)?;
    let directory = open_directory(opened, rest, missing)?;
    // Joining nothing would add a slash.
    let names = rest.components().map(Component::as_os_str);
    Ok((directory, names.fold(real, |path, name| path.join(name))))
}

/// Whether a name of a directory is a symbolic link.
pub fn is_symlink(directory: &OwnedFd, name: &OsStr) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink())
}

/// How the names of new content begin that is to get another name.
pub(crate) const NEW: &str = ".prowess-new-";

/// A new file that no other process has, as readable as any that the user makes. What killed processes left beside it is
/// removed. It is locked while it is open, which says that its process lives.
pub fn temporary_file(directory: &OwnedFd) -> io::Result<(File, String)> {
    // What cannot be removed does not matter to the new file.
    let _ = remove_stale(directory, NEW);
    loop {
        let name = format!("{NEW}{}", suffix());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        match openat(directory, &name, flags, Mode::from_raw_mode(0o666)) {
            Ok(file) if is_owned(&file)? => return Ok((File::from(file), name)),
            // Another process took it for stale before it was locked.
            Ok(_) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Locks a new temporary file or directory; whether no other process took it for stale.
pub fn is_owned(temporary: &OwnedFd) -> io::Result<bool> {
    match flock(temporary, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Ok(false),
        // A file system without locks: then nothing is taken for stale.
        Err(_) => Ok(true),
        Ok(()) => Ok(fstat(temporary)?.st_nlink > 0),
    }
}

/// Removes what killed processes left in a directory under names that begin like this, and that hold nothing but new
/// content: that of processes at work is locked.
pub fn remove_stale(directory: &OwnedFd, prefix: &str) -> io::Result<()> {
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_bytes().starts_with(prefix.as_bytes()) {
            continue;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(found) = openat(directory, name, flags, Mode::empty()) else {
            continue;
        };
        if flock(&found, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let root = cap_std::fs::Dir::from_std_file(File::from(directory.try_clone()?));
        let name = name.to_string_lossy();
        if FileType::from_raw_mode(fstat(&found)?.st_mode).is_dir() {
            root.remove_dir_all(&*name)?;
        } else {
            root.remove_file(&*name)?;
        }
    }
    Ok(())
}

/// A hidden name that this process has not used.
pub(crate) fn temporary_name() -> String {
    format!("{TEMPORARY}{}", suffix())
}

/// The end of a name that this process has not used.
pub(crate) fn suffix() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{count}", process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du11_what_a_killed_process_left_is_removed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let names = [".prowess-new-1-0", ".prowess-1-0", ".prowess-newer", "new"];
        for name in names {
            fs::write(root.join(name), "left").unwrap();
        }
        fs::create_dir_all(root.join(".prowess-new-1-1/a")).unwrap();
        let handle = OwnedFd::from(File::open(root).unwrap());
        let (first, name) = temporary_file(&handle).unwrap();
        let (_second, other) = temporary_file(&handle).unwrap();
        let found = || -> Vec<String> {
            let entries = fs::read_dir(root).unwrap().flatten();
            let names = entries.map(|entry| entry.file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        // The first one is open, so its process lives.
        let mut expected: Vec<String> = names[1..].iter().map(ToString::to_string).collect();
        expected.extend([name, other.clone()]);
        expected.sort();
        assert_eq!(found(), expected);
        drop(first);
        let (_third, third) = temporary_file(&handle).unwrap();
        let mut expected: Vec<String> = names[1..].iter().map(ToString::to_string).collect();
        expected.extend([other, third]);
        expected.sort();
        assert_eq!(found(), expected);
    }
}
