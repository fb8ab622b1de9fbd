//! Writing a file where the user sees it, and nowhere else: never through a symbolic link that a project holds.
//!
//! Directories below the working directory are opened one by one, by handle, without following links; the new file is
//! made in the last of them and renamed there. A link that appears meanwhile changes nothing.

use std::io;
use std::path::Path;

/// Replaces or creates a file atomically, preserving its mode. Links are refused.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    imp::replace(path, bytes)
}

/// Makes a directory and those above it that are missing. A link on the way is refused.
pub(crate) fn make_directories(path: &Path) -> io::Result<()> {
    imp::make_directories(path)
}

fn is_link(path: &Path) -> io::Error {
    let message = format!(
        "`{}` is a symbolic link; hint: use the file or directory that it points to",
        path.display()
    );
    io::Error::other(message)
}

#[cfg(unix)]
mod imp {
    use std::env;
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::fd::OwnedFd;
    use std::path::{Component, Path, PathBuf};
    use std::process;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::fs::{
        AtFlags, CWD, FileType, Mode, OFlags, fchmod, mkdirat, openat, renameat, statat, unlinkat,
    };
    use rustix::io::Errno;

    use super::is_link;

    #[derive(Clone, Copy, PartialEq)]
    enum Missing {
        Fail,
        Make,
    }

    pub(super) fn make_directories(path: &Path) -> io::Result<()> {
        open(path, Missing::Make).map(drop)
    }

    pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let directory = open(parent, Missing::Fail)?;
        let mode = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode).is_symlink() => {
                return Err(is_link(path));
            }
            Ok(found) => Some(Mode::from_raw_mode(found.st_mode)),
            Err(_) => None,
        };
        let (mut file, temporary) = temporary(&directory)?;
        let written = write(&mut file, bytes, mode)
            .and_then(|()| Ok(renameat(&directory, &temporary, &directory, name)?));
        if written.is_err() {
            let _ = unlinkat(&directory, &temporary, AtFlags::empty());
        }
        written
    }

    fn write(file: &mut File, bytes: &[u8], mode: Option<Mode>) -> io::Result<()> {
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            fchmod(&*file, mode)?;
        }
        file.sync_all()
    }

    /// A new file that no other process has, as readable as any that the user makes.
    fn temporary(directory: &OwnedFd) -> io::Result<(File, String)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".prowess-{}-{count}", process::id());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            match openat(directory, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok((File::from(file), name)),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Opens a directory; below the working directory no link is followed. What lies elsewhere the user named.
    fn open(path: &Path, missing: Missing) -> io::Result<OwnedFd> {
        let here = env::current_dir()?;
        let absolute = here.join(path);
        let below = absolute.strip_prefix(&here).ok();
        let plain = |path: &&Path| {
            path.components()
                .all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        };
        let Some(below) = below.filter(plain) else {
            if missing == Missing::Make {
                std::fs::create_dir_all(&absolute)?;
            }
            return Ok(openat(
                CWD,
                &absolute,
                OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )?);
        };
        let mut directory = openat(CWD, ".", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut walked = PathBuf::new();
        for part in below.components() {
            let Component::Normal(name) = part else {
                continue;
            };
            walked.push(name);
            directory = step(&directory, name, missing).map_err(|error| match error {
                Errno::LOOP | Errno::NOTDIR if walked.is_symlink() => is_link(&walked),
                other => other.into(),
            })?;
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
}

#[cfg(not(unix))]
mod imp {
    use std::fs;
    use std::io::{self, Write};
    use std::path::Path;

    use super::is_link;

    pub(super) fn make_directories(path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
        if path.is_symlink() {
            return Err(is_link(path));
        }
        let directory = path.parent().unwrap_or(Path::new("."));
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    }
}
