//! Access to the files of a project and nothing outside it.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use globset::GlobBuilder;
use prowess_sandbox::{all_repositories, is_protected, is_repository, protected_elsewhere};
use prowess_spec::is_hidden;
use prowess_trust::WorkRecords;
use serde_json::{Value, json};

use crate::limits::{ENTRIES, FILE_BYTES, SEARCHED_FILES, TREE_DEPTH};
use crate::project_walk::{HiddenFiles, IgnoredFiles, ProjectWalk};

/// Why a file cannot be read, written or listed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is outside the project, possibly through a link.
    #[error("`{0}` is outside of the project")]
    Outside(String),
    /// It belongs to the repository, whose settings can contain passwords.
    #[error("`{0}` belongs to the repository, which file tools do not see")]
    Repository(String),
    /// Other programs trust and run its content.
    #[error("`{path}` is protected: only you can change it")]
    Protected {
        /// The path.
        path: String,
        /// The file relative to the project and without links, if the user may be asked about it.
        target: Option<PathBuf>,
    },
    /// Its name would look like another one, or like more than a name, wherever it is shown.
    #[error("`{}` has characters that are not visible in its name", .0.escape_debug())]
    Invisible(String),
    /// An operation failed.
    #[error("`{path}`: {reason}")]
    Failed {
        /// The path.
        path: String,
        /// Why.
        reason: String,
    },
}

/// A project directory. Paths are resolved beneath its handle, and the operating system refuses what leaves it.
#[derive(Clone, Debug)]
pub struct ProjectFiles {
    root: PathBuf,
    directory: Arc<Dir>,
    /// Searched for when a file is first opened.
    hidden_names: Arc<OnceLock<OtherNames>>,
    /// Skills that the user works on.
    work: Option<WorkRecords>,
}

/// Places of a project that matter under other names than those that tell.
#[derive(Debug)]
struct OtherNames {
    repositories: Vec<PathBuf>,
    protected: Vec<PathBuf>,
}

/// What is done with an opened file.
#[derive(Clone, Copy)]
enum FileUse<'a> {
    Read,
    /// A file of this name is written in it.
    Write {
        name: &'a OsStr,
        agreed: Option<&'a Path>,
    },
}

impl ProjectFiles {
    /// Opens a project.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        let directory = Dir::open_ambient_dir(&root, ambient_authority())?;
        Ok(Self {
            root,
            directory: Arc::new(directory),
            hidden_names: Arc::default(),
            work: None,
        })
    }

    /// Ends the user's answers about skills that they work on, when a file of these is written.
    #[must_use]
    pub fn watched(mut self, work: Option<WorkRecords>) -> Self {
        self.work = work;
        self
    }

    /// The root directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path relative to the project; an absolute path inside it is allowed.
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

    /// Reads a text file.
    pub fn read(&self, path: &str) -> Result<String, FileError> {
        let below = self.below(path)?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // Do not block on a named pipe.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        self.visible(path, &below)?;
        let file = self.directory.open_with(&below, &options);
        let file = file.map_err(|error| failed(path, &error))?;
        self.check_opened(path, &file, FileUse::Read)?;
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

    /// Replaces a file atomically.
    pub fn write(&self, path: &str, content: &str) -> Result<(), FileError> {
        self.write_also(path, content, None)
    }

    /// The same, also for a protected file that the user agreed to.
    pub(crate) fn write_also(
        &self,
        path: &str,
        content: &str,
        agreed: Option<&Path>,
    ) -> Result<(), FileError> {
        if content.len() > FILE_BYTES {
            let size = content.len();
            return Err(because(
                path,
                &format!("{size} bytes are more than the {FILE_BYTES} that can be written"),
            ));
        }
        self.put(path, content.as_bytes(), agreed)
    }

    /// Replaces a file of any size atomically.
    pub fn replace(&self, path: &str, content: &[u8]) -> Result<(), FileError> {
        self.put(path, content, None)
    }

    fn put(&self, path: &str, content: &[u8], agreed: Option<&Path>) -> Result<(), FileError> {
        if path.contains(|letter: char| letter.is_control() || is_hidden(letter)) {
            return Err(FileError::Invisible(path.to_owned()));
        }
        let below = self.below(path)?;
        let target = self.target(path, &below)?;
        // Protected are the name that is given, and the file that it leads to.
        let protected = is_protected(&below) || self.is_protected_target(&target);
        if protected && agreed != Some(&target) {
            let repository = is_in_repository(&below) || is_in_repository(&target);
            return Err(FileError::Protected {
                path: path.to_owned(),
                target: (!repository).then_some(target),
            });
        }
        let real = self.root.join(&target);
        let _writing = self.work.as_ref().map(|work| work.writing(&real));
        let (parent, name) = self.parent(path, &target)?;
        let file_use = FileUse::Write {
            name: &name,
            agreed,
        };
        self.check_opened(path, &parent, file_use)?;
        let temporary = temporary_name();
        let written = write_over(&parent, Path::new(&temporary), Path::new(&name), content);
        written.map_err(|error| {
            let _ = parent.remove_file(&temporary);
            failed(path, &error)
        })
    }

    /// The file that a path leads to, relative to the project and without links; it need not exist.
    fn target(&self, path: &str, below: &Path) -> Result<PathBuf, FileError> {
        match self.directory.canonicalize(below) {
            Ok(target) => return Ok(target),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(path, &error)),
            // Do not create the target of a dangling link.
            Err(_) if self.directory.symlink_metadata(below).is_ok() => {
                return Err(because(path, "is a link that leads nowhere"));
            }
            Err(_) => {}
        }
        let mut existing = below.ancestors().skip(1).filter_map(|above| {
            let directory = if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            };
            Some((above, self.directory.canonicalize(directory).ok()?))
        });
        let (above, real) = existing.next().unwrap_or((Path::new(""), PathBuf::new()));
        let rest = below.strip_prefix(above).unwrap_or(below);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !rest.components().all(plain) {
            return Err(because(path, "is not there"));
        }
        let parts = real.components().chain(rest.components());
        Ok(parts.filter(|part| plain(*part)).collect())
    }

    /// The directory and name of a file, which [`target`](Self::target) found. Missing directories are created.
    fn parent(&self, path: &str, target: &Path) -> Result<(Dir, OsString), FileError> {
        let Some(name) = target.file_name() else {
            return Err(because(path, "is no name of a file"));
        };
        let above = target
            .parent()
            .filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        let made = self.directory.create_dir_all(above);
        let parent = made.and_then(|()| self.directory.open_dir(above));
        let parent = parent.map_err(|error| failed(path, &error))?;
        Ok((parent, name.to_owned()))
    }

    fn is_protected_target(&self, target: &Path) -> bool {
        let real = self.root.join(target);
        let mut elsewhere = self.other_names().protected.iter();
        is_protected(target) || elsewhere.any(|place| real.starts_with(place))
    }

    fn other_names(&self) -> &OtherNames {
        self.hidden_names.get_or_init(|| OtherNames {
            repositories: all_repositories(&self.root),
            protected: protected_elsewhere(&self.root),
        })
    }

    /// Refuses files of the repository, by path and by link target.
    fn visible(&self, path: &str, below: &Path) -> Result<(), FileError> {
        let real = self.directory.canonicalize(below);
        if is_in_repository(below) || real.is_ok_and(|real| is_in_repository(&real)) {
            return Err(FileError::Repository(path.to_owned()));
        }
        Ok(())
    }

    /// Checks an opened file again, because a link may have changed meanwhile.
    #[cfg(target_os = "linux")]
    fn check_opened(
        &self,
        path: &str,
        file: &impl std::os::fd::AsRawFd,
        file_use: FileUse<'_>,
    ) -> Result<(), FileError> {
        let link = format!("/proc/self/fd/{}", file.as_raw_fd());
        let real = std::fs::read_link(link).map_err(|error| failed(path, &error))?;
        let below = real.strip_prefix(&self.root);
        let below = below.map_err(|_| FileError::Outside(path.to_owned()))?;
        let path = path.to_owned();
        match file_use {
            FileUse::Read => {
                let mut repositories = self.other_names().repositories.iter();
                let hidden = repositories.any(|place| real.starts_with(place));
                if hidden || is_in_repository(below) {
                    return Err(FileError::Repository(path));
                }
            }
            FileUse::Write { name, agreed } => {
                let target = below.join(name);
                if agreed != Some(&target) && self.is_protected_target(&target) {
                    return Err(FileError::Protected { path, target: None });
                }
            }
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the same on each system"
    )]
    fn check_opened<T>(
        &self,
        _path: &str,
        _file: &T,
        _file_use: FileUse<'_>,
    ) -> Result<(), FileError> {
        Ok(())
    }

    /// Lists a directory, sorted by name.
    pub fn list(&self, path: &str) -> Result<Vec<Value>, FileError> {
        let below = self.below(path)?;
        self.visible(path, &below)?;
        let directory = self.directory.open_dir(&below);
        let directory = directory.map_err(|error| failed(path, &error))?;
        self.check_opened(path, &directory, FileUse::Read)?;
        let entries = directory.entries();
        let entries = entries.map_err(|error| failed(path, &error))?;
        let mut named: Vec<(String, Value)> = Vec::new();
        let seen = entries
            .flatten()
            .filter(|entry| !is_repository(&entry.file_name()));
        for entry in seen.take(ENTRIES) {
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

    /// Finds files by glob, without ignored ones; a pattern without `/` matches names in any directory.
    pub fn search(&self, pattern: &str) -> Result<Vec<String>, FileError> {
        let anywhere = if pattern.contains('/') {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
        let glob = glob.map_err(|error| because(pattern, &error.kind().to_string()))?;
        let matcher = glob.compile_matcher();
        let below = |path: &Path| path.strip_prefix(&self.root).map(Path::to_owned);
        let walk = ProjectWalk {
            root: &self.root,
            hidden: HiddenFiles::Omitted,
            ignored: IgnoredFiles::Omitted,
            depth: TREE_DEPTH,
            limit: SEARCHED_FILES,
        };
        let walked = walk.files(&|path, kind| {
            kind.is_file() && below(path).is_ok_and(|path| matcher.is_match(path))
        });
        let files = walked.files.iter().filter_map(|path| below(path).ok());
        let mut found: Vec<String> = files
            .map(|path| path.to_string_lossy().replace('\\', "/"))
            .collect();
        found.sort_unstable();
        found.truncate(ENTRIES);
        Ok(found)
    }

    /// Whether a path exists in the project.
    pub fn exists(&self, path: &str) -> bool {
        self.below(path)
            .is_ok_and(|below| self.directory.symlink_metadata(below).is_ok())
    }
}

fn is_in_repository(path: &Path) -> bool {
    path.components()
        .any(|part| is_repository(part.as_os_str()))
}

fn write_over(parent: &Dir, temporary: &Path, name: &Path, content: &[u8]) -> std::io::Result<()> {
    // A link here appeared after its target was resolved.
    let before = parent.symlink_metadata(name).ok();
    if before.as_ref().is_some_and(|found| !found.is_file()) {
        return Err(std::io::Error::other("is not a file"));
    }
    let mut options = OpenOptions::new();
    let mut file = parent.open_with(temporary, options.write(true).create_new(true))?;
    file.write_all(content)?;
    if let Some(before) = before {
        file.set_permissions(before.permissions())?;
    }
    file.sync_all()?;
    parent.rename(temporary, parent, name)
}

fn temporary_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!(".prowess-{}-{number}.tmp", std::process::id())
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
        // The system reports the same error for leaving the project and for refusing to open.
        ErrorKind::PermissionDenied => FileError::Outside(path.to_owned()),
        _ => because(path, &error.to_string()),
    }
}
