//! Git repositories that strangers may have made: where they lead, and what must not be opened in them.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use crate::file::read_beneath;

/// Bytes of a file that says where another part of a repository is.
const POINTER_BYTES: u64 = 64 * 1024;
/// Bytes of a file of a repository that is read as a whole; the index of a million files is smaller.
const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Directories of references that are looked into.
const REFERENCE_DIRECTORIES: usize = 1_000;
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
            Some(named) => root.join(named.trim()),
            None if link.exists() => link,
            None => root.clone(),
        };
        let common = directory.join(text(&directory.join("commondir")).trim_end());
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
        let unreadable = || self.unreadable().map(RepositoryProblem::Unreadable);
        let outside = || self.outside().map(RepositoryProblem::Outside);
        self.pointers.clone().or_else(unreadable).or_else(outside)
    }

    /// A file that git would wait for, or that is read as a whole although it is huge.
    fn unreadable(&self) -> Option<PathBuf> {
        let mut directories = Vec::new();
        for directory in [&self.directory, &self.common] {
            let below = ["info", "objects/info"].map(|below| directory.join(below));
            directories.push(directory.clone());
            directories.extend(below);
            directories.extend(directories_below(&directory.join("refs")));
        }
        let entries = directories
            .iter()
            .filter_map(|path| fs::read_dir(path).ok());
        let mut paths = entries.flatten().flatten().map(|entry| entry.path());
        paths.find(|path| is_unreadable(path, FILE_BYTES))
    }

    /// A part of the repository that is elsewhere.
    ///
    /// A worktree is allowed to have its repository elsewhere if that repository names it.
    fn outside(&self) -> Option<PathBuf> {
        let Self {
            root,
            directory,
            common,
            pointers: _,
        } = self;
        if !self.is_inside(directory) {
            let named = pointer(&directory.join("gitdir")).unwrap_or_default();
            let here = fs::canonicalize(root.join(".git")).ok();
            let is_worktree = here.is_some() && fs::canonicalize(named.trim_end()).ok() == here;
            return (!is_worktree).then(|| directory.clone());
        }
        if !self.is_inside(common) {
            return Some(common.clone());
        }
        let objects = common.join("objects");
        let mut directories = vec![
            directory.clone(),
            common.clone(),
            common.join("info"),
            objects.join("pack"),
            objects.join("info"),
            objects.clone(),
        ];
        directories.extend(directories_below(&common.join("refs")));
        let link = directories.iter().find_map(|directory| link_in(directory));
        link.or_else(|| self.alternate(&objects, ALTERNATES))
    }

    fn is_inside(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.root))
    }

    /// An alternate object store that is elsewhere, or a list of them that cannot be known.
    fn alternate(&self, objects: &Path, depth: usize) -> Option<PathBuf> {
        let list = objects.join("info/alternates");
        let text = match pointer(&list) {
            Ok(text) if text.is_empty() => return None,
            Ok(text) if depth > 0 => text,
            _ => return Some(list),
        };
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut stores = lines.map(|line| objects.join(line.trim_matches('"')));
        stores.find_map(|store| {
            if self.is_inside(&store) {
                self.alternate(&store, depth - 1)
            } else {
                Some(store)
            }
        })
    }
}

/// A directory of references with those below it.
fn directories_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    let mut next = 0;
    while let Some(directory) = found.get(next).filter(|_| next < REFERENCE_DIRECTORIES) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_directory = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let below: Vec<PathBuf> = entries
            .filter(is_directory)
            .map(|entry| entry.path())
            .collect();
        found.extend(below);
        next += 1;
    }
    found
}

/// A symbolic link directly in a directory; git creates none.
fn link_in(directory: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(directory).ok()?.flatten();
    let link = entries.find(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    link.map(|entry| entry.path())
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

/// The text of a file that says where something is; empty if it does not exist, or is a directory. Git makes no link of one,
/// and what is behind a link is not read: a message would show it.
fn pointer(path: &Path) -> Result<String, RepositoryProblem> {
    if path.is_dir() {
        return Ok(String::new());
    }
    if path.is_symlink() {
        return Err(RepositoryProblem::Outside(path.to_owned()));
    }
    let directory = path.parent().unwrap_or(path);
    match read_beneath(directory, path, POINTER_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()),
        Err(_) => Err(RepositoryProblem::Unreadable(path.to_owned())),
    }
}
