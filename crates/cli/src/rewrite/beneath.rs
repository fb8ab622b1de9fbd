//! Reading and writing a file where the user sees it, and nowhere else: never through a symbolic link that a project holds.
//!
//! Directories below the working directory are opened one by one, by handle, without following links; the new file is
//! made in the last of them and renamed there. A link that appears meanwhile changes nothing.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::environment;

/// Replaces or creates a file atomically, preserving its mode. Links are refused.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let _writing = environment::work_records().map(|work| work.writing(path));
    imp::replace(path, bytes)
}

/// Reads what [`replace`] would replace: a regular file of at most `limit` bytes, `None` if it does not exist. Links are
/// refused before anything behind them is read, and nothing is waited for.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match imp::open_file(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        opened => opened?,
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if metadata.len().max(bytes.len() as u64) > limit {
        return Err(io::Error::other(format!("larger than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Makes a directory and those above it that are missing. A link on the way is refused.
pub(crate) fn make_directories(path: &Path) -> io::Result<()> {
    imp::make_directories(path)
}

#[cfg(unix)]
mod imp {
    use std::env;
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::fd::OwnedFd;
    use std::path::{Component, Path};

    use prowess_sources::beneath::{Missing, is_link, open_directory, temporary_file};
    use rustix::fs::{
        AtFlags, CWD, FileType, Mode, OFlags, fchmod, openat, renameat, statat, unlinkat,
    };
    use rustix::io::Errno;

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
        let (mut file, temporary) = temporary_file(&directory)?;
        let written = write(&mut file, bytes, mode)
            .and_then(|()| Ok(renameat(&directory, &temporary, &directory, name)?));
        if written.is_err() {
            let _ = unlinkat(&directory, &temporary, AtFlags::empty());
        }
        written
    }

    pub(super) fn open_file(path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let directory = open(parent, Missing::Fail)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        match openat(&directory, name, flags, Mode::empty()) {
            Err(Errno::LOOP) => Err(is_link(path)),
            opened => Ok(opened?.into()),
        }
    }

    fn write(file: &mut File, bytes: &[u8], mode: Option<Mode>) -> io::Result<()> {
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            fchmod(&*file, mode)?;
        }
        file.sync_all()
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
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Some(below) = below.filter(plain) else {
            if missing == Missing::Make {
                std::fs::create_dir_all(&absolute)?;
            }
            return Ok(openat(CWD, &absolute, flags, Mode::empty())?);
        };
        let here = openat(CWD, ".", flags, Mode::empty())?;
        open_directory(here, below, missing)
    }
}

#[cfg(not(unix))]
mod imp {
    use std::fs;
    use std::io::{self, Write};
    use std::path::Path;

    pub(super) fn make_directories(path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    pub(super) fn open_file(path: &Path) -> io::Result<fs::File> {
        if path.is_symlink() {
            let message = format!("`{}` is a symbolic link", path.display());
            return Err(io::Error::other(message));
        }
        fs::File::open(path)
    }

    pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
        if path.is_symlink() {
            let message = format!("`{}` is a symbolic link", path.display());
            return Err(io::Error::other(message));
        }
        let directory = path.parent().unwrap_or(Path::new("."));
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    }
}
