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

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// As any file that the user makes.
    Usual,
    /// The user alone, also where there is a file already.
    Private,
}

/// Whether a file was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Exchanged {
    Done,
    /// It holds something else than what was to be replaced, and stays.
    Changed,
}

/// Replaces a file that holds `before`, or makes one where none should be; mode and owner stay. What came out of its place is
/// compared once more, and put back if it was changed in the last moment. Links are refused.
pub(crate) fn exchange(
    path: &Path,
    before: Option<&[u8]>,
    after: &[u8],
    access: Access,
) -> io::Result<Exchanged> {
    let _writing = environment::work_records().map(|work| work.writing(path));
    imp::exchange(path, before, after, access)
}

/// Makes a file with the bytes, mode and owner of another one.
pub(crate) fn copy(path: &Path, bytes: &[u8], to: &Path) -> io::Result<Exchanged> {
    imp::copy(path, bytes, to)
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
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{self, Read, Write};
    use std::os::fd::OwnedFd;
    use std::path::{Component, Path};

    use prowess_sources::beneath::{Missing, is_link, open_directory, temporary_file};
    use rustix::fs::{
        AtFlags, CWD, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fsync,
        openat, renameat, renameat_with, statat, unlinkat,
    };
    use rustix::io::Errno;
    use rustix::path::Arg;

    use super::{Access, Exchanged};

    pub(super) fn make_directories(path: &Path) -> io::Result<()> {
        open(path, Missing::Make).map(drop)
    }

    pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let place = Place::of(path)?;
        let (mut file, temporary) = temporary_file(&place.directory)?;
        let staged = Staged::new(&place, temporary);
        write(&mut file, bytes, place.found.as_ref(), Access::Usual)?;
        renameat(
            &place.directory,
            &staged.temporary,
            &place.directory,
            place.name,
        )?;
        Ok(fsync(&place.directory)?)
    }

    pub(super) fn exchange(
        path: &Path,
        before: Option<&[u8]>,
        after: &[u8],
        access: Access,
    ) -> io::Result<Exchanged> {
        let place = Place::of(path)?;
        let (mut file, temporary) = temporary_file(&place.directory)?;
        let mut staged = Staged::new(&place, temporary);
        write(&mut file, after, place.found.as_ref(), access)?;
        let exchanged = staged.exchange(before, after)?;
        fsync(&place.directory)?;
        Ok(exchanged)
    }

    pub(super) fn copy(path: &Path, bytes: &[u8], to: &Path) -> io::Result<Exchanged> {
        let (of, place) = (Place::of(path)?, Place::of(to)?);
        let (mut file, temporary) = temporary_file(&place.directory)?;
        let mut staged = Staged::new(&place, temporary);
        write(&mut file, bytes, of.found.as_ref(), Access::Usual)?;
        staged.exchange(None, bytes)
    }

    /// Where a file is, and what is known about it.
    struct Place<'p> {
        path: &'p Path,
        name: &'p OsStr,
        directory: OwnedFd,
        found: Option<Stat>,
    }

    impl<'p> Place<'p> {
        fn of(path: &'p Path) -> io::Result<Self> {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let parent = path.parent().unwrap_or(Path::new(""));
            let directory = open(parent, Missing::Fail)?;
            let found = statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).ok();
            if found.is_some_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink()) {
                return Err(is_link(path));
            }
            Ok(Self {
                path,
                name,
                directory,
                found,
            })
        }

        /// Whether a name of the directory is a file with these bytes.
        fn holds(&self, name: impl Arg, bytes: &[u8]) -> io::Result<bool> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let file = match openat(&self.directory, name, flags, Mode::empty()) {
                Err(Errno::NOENT | Errno::LOOP) => return Ok(false),
                opened => File::from(opened?),
            };
            let mut found = Vec::new();
            let is_file = file.metadata()?.is_file();
            if is_file {
                file.take(bytes.len() as u64 + 1).read_to_end(&mut found)?;
            }
            Ok(is_file && found == bytes)
        }
    }

    /// A file under a temporary name, which is removed with this value.
    struct Staged<'p> {
        place: &'p Place<'p>,
        temporary: String,
        /// It holds what another program has written.
        stays: bool,
    }

    impl Drop for Staged<'_> {
        fn drop(&mut self) {
            if !self.stays {
                // It may be the file itself by now. What is left otherwise is found by the next command.
                let _ = unlinkat(&self.place.directory, &self.temporary, AtFlags::empty());
            }
        }
    }

    impl<'p> Staged<'p> {
        fn new(place: &'p Place<'p>, temporary: String) -> Self {
            Self {
                place,
                temporary,
                stays: false,
            }
        }

        fn rename(&self, flags: RenameFlags) -> Result<(), Errno> {
            let (directory, name) = (&self.place.directory, self.place.name);
            renameat_with(directory, &self.temporary, directory, name, flags)
        }

        fn exchange(&mut self, before: Option<&[u8]>, after: &[u8]) -> io::Result<Exchanged> {
            let Some(before) = before else {
                return match self.rename(RenameFlags::NOREPLACE) {
                    Ok(()) => Ok(Exchanged::Done),
                    Err(Errno::EXIST) => Ok(Exchanged::Changed),
                    Err(error) if is_unsupported(error) => {
                        let is_free = self.place.found.is_none();
                        self.plain(is_free)
                    }
                    Err(error) => Err(error.into()),
                };
            };
            if !self.place.holds(self.place.name, before)? {
                return Ok(Exchanged::Changed);
            }
            match self.rename(RenameFlags::EXCHANGE) {
                Ok(()) => {}
                Err(Errno::NOENT) => return Ok(Exchanged::Changed),
                Err(error) if is_unsupported(error) => return self.plain(true),
                Err(error) => return Err(error.into()),
            }
            if self.place.holds(&self.temporary, before)? {
                return Ok(Exchanged::Done);
            }
            // What came out is an edit of the last moment.
            self.stays = true;
            self.rename(RenameFlags::EXCHANGE)?;
            if !self.place.holds(&self.temporary, after)? {
                // A program saved over the new file meanwhile: its text is the last one.
                self.rename(RenameFlags::EXCHANGE)?;
                return Err(io::Error::other(format!(
                    "two programs changed `{}` at once; the text of one is in `{}`",
                    self.place.path.display(),
                    self.temporary
                )));
            }
            self.stays = false;
            Ok(Exchanged::Changed)
        }

        /// Where the file system cannot exchange: the comparison before is all there is.
        fn plain(&self, is_expected: bool) -> io::Result<Exchanged> {
            if !is_expected {
                return Ok(Exchanged::Changed);
            }
            self.rename(RenameFlags::empty())?;
            Ok(Exchanged::Done)
        }
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

    fn is_unsupported(error: Errno) -> bool {
        matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
    }

    /// Writes a file that has the mode and the owner of another one.
    fn write(file: &mut File, bytes: &[u8], like: Option<&Stat>, access: Access) -> io::Result<()> {
        if access == Access::Private {
            fchmod(&*file, Mode::RUSR | Mode::WUSR)?;
        } else if let Some(like) = like {
            let own = rustix::fs::fstat(&*file)?;
            if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid) {
                // The superuser may; for others the file is theirs from now on, as in every editor.
                let (user, group) = (Uid::from_raw(like.st_uid), Gid::from_raw(like.st_gid));
                match fchown(&*file, Some(user), Some(group)) {
                    Ok(()) | Err(Errno::PERM) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            fchmod(&*file, Mode::from_raw_mode(like.st_mode))?;
        }
        file.write_all(bytes)?;
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

    pub(super) fn exchange(
        path: &Path,
        before: Option<&[u8]>,
        after: &[u8],
        _: super::Access,
    ) -> io::Result<super::Exchanged> {
        if fs::read(path).ok().as_deref() != before {
            return Ok(super::Exchanged::Changed);
        }
        replace(path, after)?;
        Ok(super::Exchanged::Done)
    }

    pub(super) fn copy(_: &Path, bytes: &[u8], to: &Path) -> io::Result<super::Exchanged> {
        exchange(to, None, bytes, super::Access::Usual)
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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    /// What an editor saves while a file is exchanged is there afterwards.
    #[test]
    fn du6_an_edit_of_the_last_moment_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        for round in 0..300 {
            fs::write(&path, "start\n").unwrap();
            let saved = format!("saved in round {round}\n");
            thread::scope(|scope| {
                scope.spawn(|| {
                    // As editors save.
                    let new = path.with_extension("editor");
                    fs::write(&new, &saved).unwrap();
                    fs::rename(&new, &path).unwrap();
                });
                let mut left = 20;
                while left > 0 {
                    let before = fs::read(&path).unwrap();
                    let after = [&before[..], b"ours\n"].concat();
                    match exchange(&path, Some(&before), &after, Access::Usual).unwrap() {
                        Exchanged::Done => left -= 1,
                        Exchanged::Changed => {}
                    }
                }
            });
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(&saved), "round {round}: {text}");
        }
        let names = fs::read_dir(place.path()).unwrap();
        assert_eq!(names.count(), 1, "nothing is left beside the file");
    }

    #[test]
    fn du6_what_is_not_expected_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let usual = Access::Usual;
        let done = exchange(&path, Some(b"a"), b"b", usual).unwrap();
        assert_eq!(done, Exchanged::Changed, "it does not exist");
        assert_eq!(exchange(&path, None, b"a", usual).unwrap(), Exchanged::Done);
        for before in [None, Some(&b""[..]), Some(&b"ab"[..]), Some(&b"b"[..])] {
            let done = exchange(&path, before, b"c", usual).unwrap();
            assert_eq!(done, Exchanged::Changed, "{before:?}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"a");
        let copied = copy(&path, b"a", &place.path().join("copy")).unwrap();
        assert_eq!(copied, Exchanged::Done);
        let again = copy(&path, b"b", &place.path().join("copy")).unwrap();
        assert_eq!(again, Exchanged::Changed);
        assert_eq!(fs::read(place.path().join("copy")).unwrap(), b"a");
    }
}
