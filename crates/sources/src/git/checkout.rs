//! Writing the tree of a commit, as it is stored: no filters, no line endings changed, nothing run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository, Tree};
use prowess_core::SourceError;
use prowess_spec::SkillPath;

use super::store::{Lock, Store, failed as disk_failed};

/// Files and directories of a tree.
pub(super) const ENTRIES: usize = 100_000;
/// Bytes of a tree.
pub(super) const TREE_BYTES: u64 = 512 * 1024 * 1024;
/// Bytes of one file.
pub(super) const FILE_BYTES: u64 = 50 * 1024 * 1024;

/// Writes the tree below `root` of a commit into the store, and returns the warnings.
pub(super) fn checkout(
    repository: &Repository,
    commit: ObjectId,
    root: Option<&SkillPath>,
    store: &Store,
    lock: &Lock,
) -> Result<(PathBuf, Vec<String>), SourceError> {
    let tree = tree_at(repository, commit, root)?.ok_or_else(|| {
        let root = root.map_or("", SkillPath::as_str);
        unavailable(format!(
            "`skills_root` not found: the repository has no directory `{root}`"
        ))
    })?;
    let unfinished = store.unfinished(lock)?;
    let made = unfinished.path().join("tree");
    let mut writer = Writer::new(&made).map_err(|error| disk_failed("write", &error))?;
    writer.directory(&tree, "").map_err(|error| match error {
        Failure::Io(error) => disk_failed("write", &error),
        Failure::Git(reason) => unavailable(reason),
    })?;
    let destination = store.tree_path(&commit.to_string(), lock)?;
    // A complete tree may exist without a state, but its root is unknown.
    let _ = fs::remove_dir_all(&destination);
    fs::rename(&made, &destination).map_err(|error| disk_failed("write", &error))?;
    Ok((destination, writer.warnings))
}

/// The tree of a directory of a commit, if it is there.
pub(super) fn tree_at<'r>(
    repository: &'r Repository,
    commit: ObjectId,
    directory: Option<&SkillPath>,
) -> Result<Option<Tree<'r>>, SourceError> {
    let whole = repository.find_commit(commit).map_err(corrupt)?;
    let whole = whole.tree().map_err(corrupt)?;
    let Some(directory) = directory else {
        return Ok(Some(whole));
    };
    let entry = whole.lookup_entry_by_path(directory.as_str());
    match entry.map_err(corrupt)?.filter(|it| it.mode().is_tree()) {
        Some(entry) => Ok(Some(entry.object().map_err(corrupt)?.into_tree())),
        None => Ok(None),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn corrupt(error: gix::Error) -> SourceError {
    unavailable(format!("corrupt repository: {error}"))
}

enum Failure {
    Io(io::Error),
    Git(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<gix::Error> for Failure {
    fn from(error: gix::Error) -> Self {
        Self::Git(corrupt(error).to_string())
    }
}

struct Writer {
    root: Dir,
    entries: usize,
    bytes: u64,
    warnings: Vec<String>,
}

impl Writer {
    fn new(path: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)?;
        Ok(Self {
            root: Dir::open_ambient_dir(path, ambient_authority())?,
            entries: 0,
            bytes: 0,
            warnings: Vec::new(),
        })
    }

    fn directory(&mut self, tree: &Tree<'_>, path: &str) -> Result<(), Failure> {
        let mut links = Vec::new();
        for entry in tree.iter() {
            let entry = entry?;
            self.entries += 1;
            if self.entries > ENTRIES {
                return Err(Failure::Git(format!(
                    "the tree has more than {ENTRIES} entries"
                )));
            }
            let Some(below) = name(path, entry.filename()) else {
                let name = entry.filename().to_string();
                self.warn(path, &name, "invalid name");
                continue;
            };
            match entry.mode().kind() {
                EntryKind::Tree => {
                    self.root.create_dir(&below)?;
                    let tree = entry.object()?.into_tree();
                    self.directory(&tree, &below)?;
                }
                kind @ (EntryKind::Blob | EntryKind::BlobExecutable) => {
                    let id = entry.id();
                    let size = id.header()?.size();
                    if size > FILE_BYTES {
                        self.warn("", &below, "larger than 50 MiB");
                        continue;
                    }
                    self.bytes += size;
                    if self.bytes > TREE_BYTES {
                        return Err(Failure::Git("the tree is larger than 512 MiB".to_owned()));
                    }
                    let executable = kind == EntryKind::BlobExecutable;
                    self.file(&below, &id.object()?.data, executable)?;
                }
                EntryKind::Link => links.push((below, entry.object()?.data.clone())),
                EntryKind::Commit => self.warn("", &below, "submodules are not supported"),
            }
        }
        // Links come last: nothing is ever written through one.
        for (below, target) in links {
            self.link(&below, &target);
        }
        Ok(())
    }

    fn file(&self, path: &str, data: &[u8], executable: bool) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.mode(if executable { 0o755 } else { 0o644 });
        }
        #[cfg(not(unix))]
        let _ = executable;
        self.root.open_with(path, &options)?.write_all(data)
    }

    #[cfg(unix)]
    fn link(&mut self, path: &str, target: &[u8]) {
        let made = match std::str::from_utf8(target) {
            Ok(target) => self.root.symlink(target, path).is_ok(),
            Err(_) => false,
        };
        if !made {
            self.warn("", path, "link outside the repository");
        }
    }

    #[cfg(not(unix))]
    fn link(&mut self, path: &str, _: &[u8]) {
        self.warn("", path, "links are not supported on this system");
    }

    fn warn(&mut self, directory: &str, name: &str, reason: &str) {
        self.warnings.push(ignored(directory, name, reason));
    }
}

/// The warning about an entry that is left out.
pub(super) fn ignored(directory: &str, name: &str, reason: &str) -> String {
    let separator = if directory.is_empty() { "" } else { "/" };
    let shown = format!("{directory}{separator}{name}");
    format!("ignored `{}`: {reason}", shown.escape_debug())
}

/// The path of an entry, if its name is nothing but a name.
pub(super) fn name(directory: &str, name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let plain = SkillPath::parse(name).is_ok_and(|path| path.as_str() == name);
    // A `.git` directory could be executed by a git that runs inside.
    let dot_git = name.eq_ignore_ascii_case(".git");
    if !plain || name.contains('/') || dot_git {
        return None;
    }
    Some(if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    })
}

fn unavailable(message: String) -> SourceError {
    SourceError::Unavailable(message)
}
