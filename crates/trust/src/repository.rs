//! Git repositories that strangers may have made: where they lead, and what must not be opened in them.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::file::read_beneath;

/// Bytes of a file that says where another part of a repository is.
const POINTER_BYTES: u64 = 64 * 1024;
/// Bytes of a file of a repository that is read as a whole; the index of a million files is smaller.
const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Directories of a repository that hold objects: their files are not read as a whole.
const OBJECTS: &str = "objects";
/// Entries of a repository that are looked at; one with more is refused.
const ENTRIES: usize = 1_000_000;
/// Alternate object stores within each other; git follows five.
const ALTERNATES: usize = 5;

/// A repository of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalRepository {
    /// The real path of what must hold all of it: a working tree, or the repository itself.
    root: PathBuf,
    directory: PathBuf,
    common: PathBuf,
    /// What is wrong with the files that name the two directories.
    pointers: Option<RepositoryProblem>,
}

/// Why a repository is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryProblem {
    /// A part of it lies elsewhere, or a link leads there: it would be read without having been named.
    #[error("{} leads out of it", .0.display())]
    Outside(PathBuf),
    /// Opening this waits, or reading it does not end.
    #[error("{} is a pipe or a device, or too large", .0.display())]
    Unreadable(PathBuf),
}

impl RepositoryProblem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Outside(_) => {
                "open the project that it belongs to, or a clone that has all of its objects"
            }
            Self::Unreadable(_) => "remove it, or use another clone",
        }
    }
}

impl LocalRepository {
    /// The repository at a path: a working tree, or a repository without one.
    pub fn at(path: &Path) -> Self {
        let root = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let link = root.join(".git");
        let mut pointers = None;
        let mut text = |path: &Path| {
            let text = pointer(path);
            text.unwrap_or_else(|problem| {
                pointers.get_or_insert(problem);
                String::new()
            })
        };
        let named = text(&link);
        let directory = match named.strip_prefix("gitdir:") {
            Some(named) => root.join(named.trim_start_matches(' ')),
            None if link.exists() => link,
            None => root.clone(),
        };
        let common = directory.join(text(&directory.join("commondir")));
        Self {
            root,
            directory,
            common,
            pointers,
        }
    }

    /// The same with the directories that git itself has found.
    pub fn with(root: &Path, directory: &Path, common: &Path) -> Self {
        Self {
            root: root.to_owned(),
            directory: directory.to_owned(),
            common: common.to_owned(),
            pointers: None,
        }
    }

    /// What must not be opened, or leads elsewhere.
    pub fn problem(&self) -> Option<RepositoryProblem> {
        self.pointers.clone().or_else(|| self.problem_of_places())
    }

    /// What is checked out: the text of `HEAD`, and the commit of the branch that it names. What cannot be read is left out.
    pub fn head(&self) -> String {
        let text = |path: &Path| pointer_text(path).unwrap_or_default();
        let head = text(&self.directory.join("HEAD"));
        let Some(branch) = head.trim_end().strip_prefix("ref: ") else {
            return head;
        };
        let loose = text(&self.common.join(branch));
        if !loose.is_empty() {
            return head + &loose;
        }
        let packed = text(&self.common.join("packed-refs"));
        let mut lines = packed.lines();
        let commit = lines.find(|line| line.split(' ').nth(1) == Some(branch));
        // The other format of references: this list changes with each of them.
        let tables = text(&self.common.join("reftable/tables.list"));
        head + commit.unwrap_or_default() + &tables
    }

    /// What must not be opened in the repository, or a link in it: git makes none, and writes through them.
    fn entry(&self) -> Option<RepositoryProblem> {
        let mut left = vec![self.directory.clone()];
        if !self.common.starts_with(&self.directory) {
            left.push(self.common.clone());
        }
        let mut seen = 0;
        while let Some(directory) = left.pop() {
            let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
            let limit = if directory
                .components()
                .any(|part| part.as_os_str() == OBJECTS)
            {
                u64::MAX
            } else {
                FILE_BYTES
            };
            for entry in entries {
                seen += 1;
                let path = entry.path();
                let Ok(kind) = entry.file_type() else {
                    return Some(RepositoryProblem::Unreadable(path));
                };
                if kind.is_symlink() {
                    return Some(RepositoryProblem::Outside(path));
                }
                if kind.is_dir() {
                    left.push(path);
                } else if is_stream(kind) || (limit < u64::MAX && is_unreadable(&path, limit)) {
                    return Some(RepositoryProblem::Unreadable(path));
                }
            }
            if seen > ENTRIES {
                return Some(RepositoryProblem::Unreadable(directory));
            }
        }
        None
    }

    /// A part of the repository that is elsewhere.
    ///
    /// A worktree is allowed to have its repository elsewhere if that repository names it.
    fn problem_of_places(&self) -> Option<RepositoryProblem> {
        let outside = |path: &Path| Some(RepositoryProblem::Outside(path.to_owned()));
        if !self.is_inside(&self.directory) {
            let link = self.root.join(".git");
            let named = pointer(&self.directory.join("gitdir")).unwrap_or_default();
            let named = (!named.is_empty()).then(|| self.directory.join(named));
            let named = named.and_then(|named| fs::canonicalize(named).ok());
            let is_worktree = link.is_file()
                && !link.is_symlink()
                && named.is_some()
                && named == fs::canonicalize(&link).ok();
            return if is_worktree {
                None
            } else {
                outside(&self.directory)
            };
        }
        if !self.is_inside(&self.common) {
            return outside(&self.common);
        }
        let objects = self.common.join(OBJECTS);
        self.entry()
            .or_else(|| self.alternate(&objects, ALTERNATES))
    }

    fn is_inside(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.root))
    }

    /// An alternate object store that is elsewhere, or a list of them that cannot be known.
    fn alternate(&self, objects: &Path, depth: usize) -> Option<RepositoryProblem> {
        let list = objects.join("info/alternates");
        let text = match pointer_text(&list) {
            Ok(text) if text.is_empty() => return None,
            Ok(text) if depth > 0 => text,
            Ok(_) => return Some(RepositoryProblem::Outside(list)),
            Err(problem) => return Some(problem),
        };
        // Git unquotes lines, and takes every other byte as it is.
        let lines = text.split('\n');
        let mut lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.find_map(|line| {
            let store = objects.join(line);
            if is_plain(line) && self.is_inside(&store) {
                self.alternate(&store, depth - 1)
            } else {
                Some(RepositoryProblem::Outside(store))
            }
        })
    }
}

/// Whether opening this waits, or reading it takes more than `limit` bytes. A socket cannot be opened at all.
pub fn is_unreadable(path: &Path, limit: u64) -> bool {
    let Ok(found) = fs::metadata(path) else {
        return false;
    };
    let kind = found.file_type();
    (kind.is_file() && found.len() > limit) || is_stream(kind)
}

#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

/// What a file says about where something is, without the end of its line; empty if it does not exist, or is a directory.
/// What git could read in another way than we do is refused.
fn pointer(path: &Path) -> Result<String, RepositoryProblem> {
    let text = pointer_text(path)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    if is_plain(line) {
        Ok(line.to_owned())
    } else {
        Err(RepositoryProblem::Outside(path.to_owned()))
    }
}

/// Whether there is one way to read a path: no quotes around it, no blank at its end, and nothing invisible.
fn is_plain(line: &str) -> bool {
    !line.starts_with('"') && !line.ends_with(' ') && !line.chars().any(char::is_control)
}

/// The text of such a file. Git makes no link of one, and what is behind a link is not read: a message would show it.
fn pointer_text(path: &Path) -> Result<String, RepositoryProblem> {
    if path.is_dir() {
        return Ok(String::new());
    }
    if path.is_symlink() {
        return Err(RepositoryProblem::Outside(path.to_owned()));
    }
    let directory = path.parent().unwrap_or(path);
    let unreadable = || RepositoryProblem::Unreadable(path.to_owned());
    let bytes = read_beneath(directory, path, POINTER_BYTES).map_err(|_| unreadable())?;
    String::from_utf8(bytes.unwrap_or_default()).map_err(|_| unreadable())
}
