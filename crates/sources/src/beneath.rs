//! Opening directories and making files below a directory without following links: a link that appears meanwhile
//! changes nothing.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;

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

/// A new file that no other process has, as readable as any that the user makes.
pub fn temporary_file(directory: &OwnedFd) -> io::Result<(File, String)> {
    loop {
        let name = temporary_name();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        match openat(directory, &name, flags, Mode::from_raw_mode(0o666)) {
            Ok(file) => return Ok((File::from(file), name)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A hidden name that this process has not used.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".prowess-{}-{count}", process::id())
}
