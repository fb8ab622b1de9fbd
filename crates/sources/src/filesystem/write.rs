//! Changes of a skill on disk, by handle and without following links.
//!
//! A file is replaced by exchanging it with the new one: what was there is then read from under its temporary name, so a
//! change that another program made in the last moment is seen and put back.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use prowess_core::WriteError;
use prowess_spec::{SkillPath, is_skill_file};
use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags, fchmod, flock, mkdirat,
    openat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::exchanged::{exchange_name, settle};
use super::{Links, files, removed};
use crate::beneath::{
    Missing, NEW, is_owned, open_directory, open_real, remove_stale, suffix, temporary_file,
};

/// How long a change waits for another process that changes skills of the same directory.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// How often it looks whether that one is done.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Creates a skill in the directory `relative` of `root`.
pub(super) fn create(
    root: SourceRoot<'_>,
    relative: &Path,
    files: &[(SkillPath, Vec<u8>)],
) -> Result<(), WriteError> {
    let root = root.open(Missing::Make)?;
    let (above, name) = parts(relative)?;
    for outer in above.ancestors().filter(|it| !it.as_os_str().is_empty()) {
        if let Ok(outer_handle) = open_directory(
            root.try_clone().map_err(|it| failed(&it))?,
            outer,
            Missing::Fail,
        ) && has_skill_file(&outer_handle)
        {
            let outer = outer.display();
            let message = format!("`{outer}` is a skill, and a skill cannot contain another");
            return Err(WriteError::NotWritable(message));
        }
    }
    let above = open_directory(
        root.try_clone().map_err(|it| failed(&it))?,
        above,
        Missing::Make,
    );
    let above = above.map_err(|it| failed(&it))?;
    let staged = format!("{NEW}{}", suffix());
    mkdirat(&root, &staged, Mode::from_raw_mode(0o777)).map_err(errno)?;
    let flags = RenameFlags::NOREPLACE;
    // While it is open, no other process takes it for stale.
    let held = open_directory(
        root.try_clone().map_err(|it| failed(&it))?,
        Path::new(&staged),
        Missing::Fail,
    );
    let made = held
        .and_then(|held| is_owned(&held).map(|_| held))
        .and_then(|held| fill(&root, &staged, files).map(|()| held))
        .and_then(|_held| Ok(renameat_with(&root, &staged, &above, name, flags)?));
    made.map_err(|error| {
        let _ = remove_all(&root, &staged);
        match Errno::from_io_error(&error) {
            Some(Errno::EXIST) => WriteError::Exists(relative.display().to_string()),
            _ => failed(&error),
        }
    })
}

fn fill(root: &OwnedFd, staged: &str, files: &[(SkillPath, Vec<u8>)]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    for (path, bytes) in files {
        let path = Path::new(staged).join(path.as_str());
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        let directory = open_directory(root.try_clone()?, above, Missing::Make)?;
        let file = openat(&directory, name, flags, Mode::from_raw_mode(0o666))?;
        let mut file = File::from(file);
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    Ok(())
}

/// Replaces, creates or removes a file of the skill in the directory `relative` of `root`.
pub(super) fn write(
    root: SourceRoot<'_>,
    relative: &Path,
    path: &SkillPath,
    before: Option<&[u8]>,
    bytes: Option<&[u8]>,
) -> Result<(), WriteError> {
    let root = root.open(Missing::Fail)?;
    let skill = open_directory(
        root.try_clone().map_err(|it| failed(&it))?,
        relative,
        Missing::Fail,
    );
    let skill = skill.map_err(|it| not_writable(&it))?;
    let (above, name) = parts(Path::new(path.as_str()))?;
    let missing = match (before, bytes) {
        (None, Some(_)) => Missing::Make,
        _ => Missing::Fail,
    };
    let above = open_directory(skill, above, missing).map_err(|it| not_writable(&it))?;
    let found = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW);
    let mode = match &found {
        Ok(found) if FileType::from_raw_mode(found.st_mode).is_file() => {
            Some(Mode::from_raw_mode(found.st_mode))
        }
        Ok(_) => {
            let message = format!("`{path}` is not a regular file");
            return Err(WriteError::NotWritable(message));
        }
        Err(_) => None,
    };
    if mode.is_some() != before.is_some() {
        return Err(WriteError::Changed);
    }
    match (before, bytes) {
        (None, None) => Ok(()),
        (Some(before), None) => take_away(&root, &above, name, before),
        (before, Some(bytes)) => put(&root, &above, name, mode, before, bytes),
    }
}

fn put(
    root: &OwnedFd,
    above: &OwnedFd,
    name: &str,
    mode: Option<Mode>,
    before: Option<&[u8]>,
    bytes: &[u8],
) -> Result<(), WriteError> {
    let (mut file, unfinished) = temporary_file(root).map_err(|it| failed(&it))?;
    // Under this name, only whole files are found after a kill: the new content or the old.
    let temporary = exchange_name(before, Some(bytes));
    let flags = if before.is_some() {
        RenameFlags::EXCHANGE
    } else {
        RenameFlags::NOREPLACE
    };
    let exchange = || renameat_with(root, &temporary, above, name, flags);
    let staged = file
        .write_all(bytes)
        .and_then(|()| match mode {
            Some(mode) => Ok(fchmod(&file, mode)?),
            None => Ok(()),
        })
        .and_then(|()| file.sync_all())
        .and_then(|()| {
            Ok(renameat_with(
                root,
                &unfinished,
                root,
                &temporary,
                RenameFlags::NOREPLACE,
            )?)
        });
    if let Err(error) = staged {
        let _ = unlinkat(root, &unfinished, AtFlags::empty());
        return Err(failed(&error));
    }
    let written = exchange().map_err(io::Error::from);
    let done = match written {
        Err(error) => Err(changed_or(&error)),
        Ok(()) => match before {
            Some(before) if !holds(root, &temporary, before) => {
                exchange().map_err(errno)?;
                Err(WriteError::Changed)
            }
            _ => Ok(()),
        },
    };
    // What is under the temporary name is either the new content, or the content that the caller knew.
    let own = before.is_none() || done.is_ok() || holds(root, &temporary, bytes);
    if own {
        let _ = unlinkat(root, &temporary, AtFlags::empty());
    }
    done
}

fn take_away(root: &OwnedFd, above: &OwnedFd, name: &str, before: &[u8]) -> Result<(), WriteError> {
    let temporary = exchange_name(Some(before), None);
    let flags = RenameFlags::NOREPLACE;
    renameat_with(above, name, root, &temporary, flags).map_err(changed)?;
    if holds(root, &temporary, before) {
        return unlinkat(root, &temporary, AtFlags::empty()).map_err(errno);
    }
    renameat_with(root, &temporary, above, name, flags).map_err(errno)?;
    Err(WriteError::Changed)
}

/// Removes the skill in the directory `relative` of `root`.
pub(super) fn remove(
    root: SourceRoot<'_>,
    relative: &Path,
    path: &SkillPath,
    before: &[u8],
    files: &[(SkillPath, u64)],
) -> Result<(), WriteError> {
    let root = root.open(Missing::Fail)?;
    let (above, name) = parts(relative)?;
    let above = open_directory(
        root.try_clone().map_err(|it| failed(&it))?,
        above,
        Missing::Fail,
    );
    let above = above.map_err(|it| not_writable(&it))?;
    let found = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW).map_err(changed)?;
    if !FileType::from_raw_mode(found.st_mode).is_dir() {
        let message = format!(
            "`{}` is a link: remove it where it was made",
            relative.display()
        );
        return Err(WriteError::NotWritable(message));
    }
    // Looked at first: what is refused never moves.
    let there = open_directory(
        above.try_clone().map_err(|error| failed(&error))?,
        Path::new(name),
        Missing::Fail,
    );
    let there = there.map_err(|error| not_writable(&error))?;
    refusal(there, path, before, files).map_or(Ok(()), Err)?;
    let temporary = removed::name_for(relative);
    let flags = RenameFlags::NOREPLACE;
    renameat_with(&above, name, &root, &temporary, flags).map_err(changed)?;
    // Looked at again: no other program finds it under its name any more.
    let moved = open_directory(
        root.try_clone().map_err(|error| failed(&error))?,
        Path::new(&temporary),
        Missing::Fail,
    );
    let refused = match moved {
        Ok(moved) => refusal(moved, path, before, files),
        Err(error) => Some(failed(&error)),
    };
    match refused {
        None => removed::erase(&root, &temporary).map_err(|error| failed(&error)),
        Some(refused) => {
            renameat_with(&root, &temporary, &above, name, flags).map_err(errno)?;
            Err(refused)
        }
    }
}

/// Puts skills back that a killed process was about to remove. Returns how many.
pub(super) fn recover(root: SourceRoot<'_>) -> Result<usize, WriteError> {
    let root = root.open(Missing::Fail)?;
    removed::put_back(&root).map_err(|error| failed(&error))
}

/// Why a skill is not removed, if it is not as its client knew it.
fn refusal(
    directory: OwnedFd,
    path: &SkillPath,
    before: &[u8],
    files: &[(SkillPath, u64)],
) -> Option<WriteError> {
    if !holds(&directory, path.as_str(), before) {
        return Some(WriteError::Changed);
    }
    match (hidden_name(&directory), listed(directory)) {
        (Some(name), _) => Some(WriteError::NotWritable(format!(
            "it has `{name}`, which is not listed: remove it on disk"
        ))),
        (None, found) if found != files => Some(WriteError::Changed),
        (None, _) => None,
    }
}

/// The files of a directory, as clients see them.
fn listed(directory: OwnedFd) -> Vec<(SkillPath, u64)> {
    let directory = cap_std::fs::Dir::from_std_file(File::from(directory));
    let files = files::list_in(&directory).into_iter();
    files.map(|file| (file.path, file.size)).collect()
}

/// A hidden file of a directory.
fn hidden_name(directory: &OwnedFd) -> Option<String> {
    let entries = Dir::read_from(directory).ok()?;
    let mut names = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.find(|name| name.starts_with('.') && name != "." && name != "..")
}

/// The directory of a source, and where it may be.
#[derive(Clone, Copy)]
pub(super) struct SourceRoot<'r> {
    pub(super) path: &'r Path,
    pub(super) links: &'r Links,
}

impl SourceRoot<'_> {
    /// Opens the root and locks it until it is dropped: of several processes that change skills, one does so at a time.
    fn open(self, missing: Missing) -> Result<OwnedFd, WriteError> {
        let within = match self.links {
            Links::Below(directories) => Some(&**directories),
            Links::Anywhere => None,
        };
        let opened = open_real(self.path, within, missing);
        let (root, _) = opened.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => WriteError::NotWritable(error.to_string()),
            _ => failed(&error),
        })?;
        let end = Instant::now() + LOCK_WAIT;
        loop {
            match flock(&root, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) if Instant::now() < end => sleep(LOCK_PAUSE),
                Err(Errno::WOULDBLOCK) => return Err(WriteError::Busy),
                Err(error) => return Err(errno(error)),
            }
        }
        // What cannot be removed stays hidden, and is no part of a skill.
        let _ = remove_stale(&root, NEW).and_then(|()| settle(&root));
        Ok(root)
    }
}

/// The directory above and the last name of a relative path.
fn parts(path: &Path) -> Result<(&Path, &str), WriteError> {
    let name = path.file_name().and_then(|name| name.to_str());
    match (path.parent(), name) {
        (Some(above), Some(name)) => Ok((above, name)),
        _ => Err(WriteError::NotWritable(
            "the root itself is the skill; change its files on disk".to_owned(),
        )),
    }
}

/// Whether a file has exactly this content.
fn holds(directory: &OwnedFd, name: &str, expected: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = openat(directory, name, flags, Mode::empty()) else {
        return false;
    };
    let mut found = Vec::new();
    let limit = expected.len() as u64 + 1;
    let read = File::from(file).take(limit).read_to_end(&mut found);
    read.is_ok() && found == expected
}

fn has_skill_file(directory: &OwnedFd) -> bool {
    let Ok(entries) = Dir::read_from(directory) else {
        return false;
    };
    entries
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_str().is_ok_and(is_skill_file))
}

/// Removes a directory with everything in it; links are removed, not followed.
pub(super) fn remove_all(root: &OwnedFd, name: &str) -> io::Result<()> {
    let root = cap_std::fs::Dir::from_std_file(File::from(root.try_clone()?));
    root.remove_dir_all(name)
}

fn failed(error: &io::Error) -> WriteError {
    WriteError::Failed(error.to_string())
}

fn errno(error: Errno) -> WriteError {
    failed(&error.into())
}

fn not_writable(error: &io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::NotFound => WriteError::Changed,
        _ => WriteError::NotWritable(error.to_string()),
    }
}

/// Something that was there is gone, or the other way round.
fn changed(error: Errno) -> WriteError {
    match error {
        Errno::NOENT | Errno::EXIST => WriteError::Changed,
        other => errno(other),
    }
}

fn changed_or(error: &io::Error) -> WriteError {
    Errno::from_io_error(error).map_or_else(|| failed(error), changed)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn anywhere(path: &Path) -> SourceRoot<'_> {
        SourceRoot {
            path,
            links: &Links::Anywhere,
        }
    }

    /// What a client knew is not what is there: another program changed it after it was read.
    #[test]
    fn sv6_a_change_in_the_last_moment_is_put_back() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/SKILL.md"), "by an editor").unwrap();
        fs::write(root.join("a/x"), "by an editor").unwrap();
        let (skill, own) = (Path::new("a"), SkillPath::parse("SKILL.md").unwrap());
        let file = SkillPath::parse("x").unwrap();
        let known: &[u8] = b"as the client knew it";
        for result in [
            write(anywhere(root), skill, &file, Some(known), Some(b"new")),
            write(anywhere(root), skill, &file, Some(known), None),
            write(anywhere(root), skill, &file, None, Some(b"new")),
            remove(anywhere(root), skill, &own, known, &[]),
        ] {
            assert_eq!(result, Err(WriteError::Changed));
        }
        for name in ["a/SKILL.md", "a/x"] {
            assert_eq!(fs::read_to_string(root.join(name)).unwrap(), "by an editor");
        }
        assert_eq!(fs::read_dir(root).unwrap().count(), 1);
        assert_eq!(fs::read_dir(root.join("a")).unwrap().count(), 2);
        // A file that the client did not know is not removed with the skill.
        let editor: &[u8] = b"by an editor";
        let removed = remove(anywhere(root), skill, &own, editor, &[]);
        assert_eq!(removed, Err(WriteError::Changed));
        fs::write(root.join("a/.env"), "secret").unwrap();
        let known = [(file.clone(), 12)];
        let removed = remove(anywhere(root), skill, &own, editor, &known);
        assert!(matches!(removed, Err(WriteError::NotWritable(_))));
        fs::remove_file(root.join("a/.env")).unwrap();
        // A change of another file does not matter.
        let current: &[u8] = b"by an editor";
        write(anywhere(root), skill, &file, Some(current), Some(b"new")).unwrap();
        assert_eq!(fs::read(root.join("a/x")).unwrap(), b"new");
        assert_eq!(fs::read_dir(root).unwrap().count(), 1);
    }

    /// What a killed server left: new content, old content, and a file that a person saved in the last moment.
    #[test]
    fn du11_what_a_killed_server_left_is_removed_unless_a_person_wrote_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/x"), "old").unwrap();
        let (old, new): (&[u8], &[u8]) = (b"old", b"new");
        for (content, before, after) in [
            (old, Some(old), Some(new)),
            (new, Some(old), Some(new)),
            (new, None, Some(new)),
            (old, Some(old), None),
            (b"by a person", Some(old), Some(new)),
        ] {
            fs::write(root.join(exchange_name(before, after)), content).unwrap();
        }
        fs::create_dir(root.join(format!("{NEW}1-2"))).unwrap();
        fs::write(root.join(format!("{NEW}1-2/SKILL.md")), "half").unwrap();
        // What another transaction wrote is not this one's.
        fs::write(root.join(".prowess-staged-0-0"), "").unwrap();
        let file = SkillPath::parse("x").unwrap();
        write(anywhere(root), Path::new("a"), &file, Some(old), Some(new)).unwrap();
        let entries = fs::read_dir(root).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, [".prowess-staged-0-0", "a", "saved-by-prowess-1"]);
        let kept = fs::read_to_string(root.join("saved-by-prowess-1"));
        assert_eq!(kept.unwrap(), "by a person");
    }

    /// Several programs that write one file through this lose nothing: each change is based on the one before.
    #[test]
    fn sv5_many_writers_count_to_a_total() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/n"), "0").unwrap();
        let path = SkillPath::parse("n").unwrap();
        let add_one = || loop {
            let before = fs::read(root.join("a/n")).unwrap();
            let number: u32 = String::from_utf8_lossy(&before).parse().unwrap();
            let next = (number + 1).to_string();
            let done = write(
                anywhere(root),
                Path::new("a"),
                &path,
                Some(&before),
                Some(next.as_bytes()),
            );
            match done {
                Ok(()) => break,
                Err(error) => assert_eq!(error, WriteError::Changed),
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| add_one()));
            }
        });
        assert_eq!(fs::read_to_string(root.join("a/n")).unwrap(), "100");
        assert_eq!(fs::read_dir(root).unwrap().count(), 1);
    }

    /// A project that leads elsewhere is not written behind its back.
    #[test]
    fn sv7_a_root_that_leaves_the_project_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let (project, outside) = (
            directory.path().join("project"),
            directory.path().join("out"),
        );
        fs::create_dir_all(project.join(".agents")).unwrap();
        fs::create_dir(&outside).unwrap();
        let links = Links::Below([project.clone()].into());
        let text = b"x";
        let root = project.join(".agents/skills");
        let files = [(SkillPath::parse("SKILL.md").unwrap(), text.to_vec())];
        let create = |path: &Path| {
            let links = &links;
            create(SourceRoot { path, links }, Path::new("a"), &files)
        };
        std::os::unix::fs::symlink(&outside, &root).unwrap();
        assert!(matches!(create(&root), Err(WriteError::NotWritable(_))));
        fs::remove_file(&root).unwrap();
        create(&root).unwrap();
        assert_eq!(fs::read(root.join("a/SKILL.md")).unwrap(), text);
        // A directory above that does not exist yet.
        std::os::unix::fs::symlink(&outside, project.join("link")).unwrap();
        let behind = project.join("link/skills");
        assert!(matches!(create(&behind), Err(WriteError::NotWritable(_))));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
