//! The stored data of a repository between runs.
//!
//! ```text
//! {cache}/git/{digest of URL, reference and root}/
//!   lock           held while writing
//!   repository/    the fetched data
//!   trees/{commit}/
//!   state.json     the current commit and its time; written last
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_config::{Git, GitLocation, GitRef};
use prowess_core::SourceError;
use prowess_net::short_digest;
use serde::{Deserialize, Serialize};

/// The beginning of names of things that are not finished.
const UNFINISHED: &str = ".unfinished-";
/// Trees that stay: the current one, and the one that others may still read.
const TREES: usize = 2;

/// The directory of one reference of one repository.
pub(super) struct Store {
    directory: PathBuf,
}

/// Which commit counts.
#[derive(Serialize, Deserialize)]
pub(super) struct FetchRecord {
    pub(super) commit: String,
    /// Seconds since 1970.
    fetched: u64,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
}

impl FetchRecord {
    pub(super) fn refreshed(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.fetched)
    }
}

/// Holds the write lock.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the write lock, and removes unfinished work of killed processes.
    pub(super) fn take(store: &Store) -> Result<Self, SourceError> {
        let take = || {
            private_directories(&store.directory)?;
            private_directories(&store.directory.join("trees"))?;
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            let file = options.open(store.directory.join("lock"))?;
            file.lock()?;
            Ok(file)
        };
        let file = take().map_err(|error: io::Error| failed("prepare", &error))?;
        for directory in [store.directory.clone(), store.directory.join("trees")] {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
        }
        Ok(Self { _file: file })
    }
}

/// Creates a directory for its owner only: what a credential fetched is not for others on the machine.
fn private_directories(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700);
        builder.create(path)?;
        // One of an older Prowess.
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
    }
    #[cfg(not(unix))]
    builder.create(path)
}

impl Store {
    pub(super) fn new(cache: &Path, options: &Git) -> Self {
        let url = match &options.url {
            GitLocation::Http(url) | GitLocation::Ssh(url) => url.expose().to_owned(),
            GitLocation::Local(path) => path.display().to_string(),
        };
        let (kind, name) = match &options.reference {
            None => ("head", ""),
            Some(GitRef::Branch(name)) => ("branch", name.as_str()),
            Some(GitRef::Tag(name)) => ("tag", name.as_str()),
            Some(GitRef::Commit(name)) => ("commit", name.as_str()),
        };
        let root = options
            .skills_root
            .as_ref()
            .map_or("", |root| root.as_str());
        Self {
            directory: cache
                .join("git")
                .join(short_digest([&*url, kind, name, root])),
        }
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.directory.join("repository")
    }

    pub(super) fn state(&self) -> Option<FetchRecord> {
        serde_json::from_slice(&fs::read(self.directory.join("state.json")).ok()?).ok()
    }

    /// The tree of a commit, if it is there: what has its name is whole.
    pub(super) fn tree(&self, commit: &str) -> Option<PathBuf> {
        Some(self.tree_path(commit)).filter(|path| path.is_dir())
    }

    pub(super) fn tree_path(&self, commit: &str) -> PathBuf {
        self.directory.join("trees").join(commit)
    }

    /// A temporary directory; it is removed unless it is renamed.
    pub(super) fn unfinished(&self, _: &Lock) -> Result<tempfile::TempDir, SourceError> {
        tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.directory)
            .map_err(|error| failed("write", &error))
    }

    /// Sets the current commit, and removes old trees.
    pub(super) fn save(
        &self,
        commit: &str,
        warnings: &[String],
        _: &Lock,
    ) -> Result<(), SourceError> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let state = FetchRecord {
            commit: commit.to_owned(),
            fetched: since.map_or(0, |since| since.as_secs()),
            warnings: warnings.to_vec(),
        };
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
            file.write_all(&serde_json::to_vec(&state)?)?;
            file.as_file().sync_all()?;
            file.persist(self.directory.join("state.json"))?;
            Ok(())
        };
        write().map_err(|error: io::Error| failed("write", &error))?;
        self.forget_old_trees(commit);
        Ok(())
    }

    fn forget_old_trees(&self, commit: &str) {
        let entries = fs::read_dir(self.directory.join("trees"));
        let mut others: Vec<(SystemTime, PathBuf)> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name() != commit)
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        others.sort();
        others.reverse();
        for (_, path) in others.into_iter().skip(TREES - 1) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// An error of the disk.
pub(super) fn failed(action: &str, error: &io::Error) -> SourceError {
    let message = format!("cannot {action} the directory for the clone: {error}");
    SourceError::Unavailable(message)
}
