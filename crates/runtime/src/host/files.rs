//! The files of a project, never anything outside it.

use std::io::{ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use globset::GlobBuilder;
use ignore::WalkBuilder;
use serde_json::{Value, json};

use crate::limits::{ENTRIES, FILE_BYTES};

/// Why a file was not read, written or listed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is, or leads, outside of the project.
    #[error("`{0}` is outside of the project")]
    Outside(String),
    /// Writing there would have programs run later.
    #[error("`{0}` belongs to the repository, not to its content")]
    Repository(String),
    /// It cannot be had.
    #[error("`{path}`: {reason}")]
    Failed {
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
}

/// A project, opened once: a path is looked up beneath that handle, and the system refuses what leaves it.
#[derive(Clone, Debug)]
pub struct ProjectFiles {
    root: PathBuf,
    directory: Arc<Dir>,
}

impl ProjectFiles {
    /// Opens a project.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        let directory = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self {
            root,
            directory: Arc::new(directory),
        })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path below the project; an absolute one may name what is inside.
    fn below(&self, path: &str) -> Result<PathBuf, FileError> {
        let given = Path::new(path);
        let below = if given.is_absolute() {
            given
                .strip_prefix(&self.root)
                .map_err(|_| FileError::Outside(path.to_owned()))?
        } else {
            given
        };
        let plain = below
            .components()
            .filter(|part| !matches!(part, Component::CurDir));
        let below: PathBuf = plain.collect();
        if below.as_os_str().is_empty() {
            return Ok(PathBuf::from("."));
        }
        Ok(below)
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> Result<String, FileError> {
        let below = self.below(path)?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // A named pipe must not make us wait.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = self.directory.open_with(&below, &options);
        let file = file.map_err(|error| failed(path, &error))?;
        let metadata = file.metadata().map_err(|error| failed(path, &error))?;
        if !metadata.is_file() {
            return Err(because(path, "is not a file"));
        }
        let mut bytes = Vec::new();
        let limit = FILE_BYTES as u64 + 1;
        let read = file.take(limit).read_to_end(&mut bytes);
        read.map_err(|error| failed(path, &error))?;
        if bytes.len() > FILE_BYTES {
            let size = metadata.len();
            return Err(because(
                path,
                &format!("is {size} bytes long; {FILE_BYTES} can be read"),
            ));
        }
        String::from_utf8(bytes).map_err(|_| because(path, "is not UTF-8 text"))
    }

    /// Writes a whole file: it has the new text or the old one, never half.
    pub fn write(&self, path: &str, content: &str) -> Result<(), FileError> {
        let below = self.below(path)?;
        if content.len() > FILE_BYTES {
            let size = content.len();
            return Err(because(
                path,
                &format!("{size} bytes are more than the {FILE_BYTES} that can be written"),
            ));
        }
        let target = self.target(path, &below)?;
        if target.components().any(is_repository) {
            return Err(FileError::Repository(path.to_owned()));
        }
        let temporary = temporary_beside(&target);
        let written = self.write_over(&temporary, &target, content);
        written.map_err(|error| {
            let _ = self.directory.remove_file(&temporary);
            failed(path, &error)
        })
    }

    /// Where a path really leads, with the directories on the way made.
    fn target(&self, path: &str, below: &Path) -> Result<PathBuf, FileError> {
        if below.components().any(is_repository) {
            return Err(FileError::Repository(path.to_owned()));
        }
        match self.directory.canonicalize(below) {
            Ok(target) => return Ok(target),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(path, &error)),
        }
        let (Some(parent), Some(name)) = (below.parent(), below.file_name()) else {
            return Err(because(path, "is no name of a file"));
        };
        // A link to nowhere: whatever it names, it is not ours to make.
        if self.directory.symlink_metadata(below).is_ok() {
            return Err(because(path, "is a link that leads nowhere"));
        }
        if parent.as_os_str().is_empty() {
            return Ok(PathBuf::from(name));
        }
        self.directory
            .create_dir_all(parent)
            .and_then(|()| self.directory.canonicalize(parent))
            .map(|parent| parent.join(name))
            .map_err(|error| failed(path, &error))
    }

    fn write_over(&self, temporary: &Path, target: &Path, content: &str) -> std::io::Result<()> {
        let before = self.directory.metadata(target).ok();
        if before.as_ref().is_some_and(|found| !found.is_file()) {
            return Err(std::io::Error::other("is not a file"));
        }
        let mut options = OpenOptions::new();
        let mut file = self
            .directory
            .open_with(temporary, options.write(true).create_new(true))?;
        file.write_all(content.as_bytes())?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        self.directory.rename(temporary, &self.directory, target)
    }

    /// The entries of a directory, by name.
    pub fn list(&self, path: &str) -> Result<Vec<Value>, FileError> {
        let below = self.below(path)?;
        let entries = self.directory.read_dir(&below);
        let entries = entries.map_err(|error| failed(path, &error))?;
        let mut named: Vec<(String, Value)> = Vec::new();
        for entry in entries.flatten().take(ENTRIES) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type();
            let is_dir = kind.as_ref().is_ok_and(cap_std::fs::FileType::is_dir);
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            let row = json!({"name": name, "is_dir": is_dir, "size": size});
            named.push((name, row));
        }
        named.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(named.into_iter().map(|(_, row)| row).collect())
    }

    /// The files that a glob matches, leaving out what ignore files name; a pattern without `/` is about names.
    pub fn search(&self, pattern: &str) -> Result<Vec<String>, FileError> {
        let anywhere = if pattern.contains('/') {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
        let glob = glob.map_err(|error| because(pattern, &error.kind().to_string()))?;
        let matcher = glob.compile_matcher();
        let walk = WalkBuilder::new(&self.root).require_git(false).build();
        let mut found = Vec::new();
        for entry in walk.flatten() {
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Ok(path) = entry.path().strip_prefix(&self.root)
                && matcher.is_match(path)
            {
                found.push(path.to_string_lossy().replace('\\', "/"));
                if found.len() >= ENTRIES {
                    break;
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Whether something inside the project has that path.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.below(path)
            .is_ok_and(|below| self.directory.symlink_metadata(below).is_ok())
    }
}

fn is_repository(part: Component<'_>) -> bool {
    part.as_os_str().eq_ignore_ascii_case(".git")
}

fn temporary_beside(target: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    target.with_file_name(format!(".prowess-{}-{number}.tmp", std::process::id()))
}

fn because(path: &str, reason: &str) -> FileError {
    FileError::Failed {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn failed(path: &str, error: &std::io::Error) -> FileError {
    match error.kind() {
        ErrorKind::NotFound => because(path, "is not there"),
        // The system says the same of a path that leaves and of one that it will not open.
        ErrorKind::PermissionDenied => FileError::Outside(path.to_owned()),
        _ => because(path, &error.to_string()),
    }
}
