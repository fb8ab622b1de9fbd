//! The stored data of a repository between runs.
//!
//! ```text
//! {cache}/git/{digest of URL, reference and root}/
//!   lock           held while writing
//!   repository/    the fetched data
//!   trees/{commit}/
//!   state.json     the current commit and its time; written last
//! {cache}/packages/git/{digest of URL}/
//!   lock, repository/
//!   references.json    the commits that references had
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_config::{Git, GitLocation, GitRef};
use prowess_core::SourceError;
use prowess_net::short_digest;
use serde::{Deserialize, Serialize};

/// The file with the current commit.
const STATE: &str = "state.json";
/// The file with the commits of references.
const REFERENCES: &str = "references.json";
/// The beginning of names of things that are not finished.
const UNFINISHED: &str = ".unfinished-";
/// Trees that stay: the current one, and the one that others may still read.
const TREES: usize = 2;

/// How long a repository with packages stays in the cache that no command used.
const UNUSED: Duration = Duration::from_hours(30 * 24);

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

/// Whether no process used a repository for 30 days, and none writes to it now.
fn is_unused(directory: &Path, now: SystemTime) -> bool {
    let Ok(lock) = File::open(directory.join("lock")) else {
        return false;
    };
    let used = lock.metadata().and_then(|it| it.modified());
    let age = used.ok().and_then(|it| now.duration_since(it).ok());
    age.is_some_and(|age| age > UNUSED) && lock.try_lock().is_ok()
}

impl Store {
    pub(super) fn new(cache: &Path, options: &Git) -> Self {
        let url = match &options.url {
            GitLocation::Local(path) => path.display().to_string(),
            server => server.expose().into_owned(),
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

    /// The directory of a repository with packages: one for all of its commits.
    pub(super) fn of_packages(cache: &Path, url: &str) -> Self {
        Self {
            directory: cache.join("packages").join("git").join(short_digest([url])),
        }
    }

    /// Notes that the repository is in use; the time of its lock file is that of its last use.
    pub(super) fn touch(&self) {
        let lock = File::open(self.directory.join("lock"));
        // Without it, the repository may be fetched again in a month.
        let _ = lock.and_then(|it| it.set_modified(SystemTime::now()));
    }

    /// Removes the repositories beside this one that were not used for 30 days. What cannot be removed is found the
    /// next time.
    pub(super) fn remove_unused_neighbours(&self, now: SystemTime) {
        let above = self.directory.parent().map(fs::read_dir);
        for entry in above.into_iter().flatten().flatten().flatten() {
            let directory = entry.path();
            if directory != self.directory && is_unused(&directory, now) {
                let _ = fs::remove_dir_all(directory);
            }
        }
    }

    /// The commit that a reference had when a server was asked last.
    pub(super) fn reference(&self, name: &str) -> Option<String> {
        self.references().remove(name)
    }

    fn references(&self) -> BTreeMap<String, String> {
        let read = || serde_json::from_slice(&fs::read(self.directory.join(REFERENCES)).ok()?).ok();
        read().unwrap_or_default()
    }

    /// Notes the commit of a reference.
    pub(super) fn set_reference(
        &self,
        name: &str,
        commit: &str,
        _: &Lock,
    ) -> Result<(), SourceError> {
        let mut references = self.references();
        if references.get(name).is_some_and(|old| old == commit) {
            return Ok(());
        }
        references.insert(name.to_owned(), commit.to_owned());
        self.write(REFERENCES, &references)
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.directory.join("repository")
    }

    pub(super) fn state(&self) -> Option<FetchRecord> {
        serde_json::from_slice(&fs::read(self.directory.join(STATE)).ok()?).ok()
    }

    /// The tree of a commit, if it is there: what has its name is whole.
    pub(super) fn tree(&self, commit: &str) -> Option<PathBuf> {
        Some(self.directory.join("trees").join(commit)).filter(|path| path.is_dir())
    }

    /// Where the tree of a commit is written to.
    pub(super) fn tree_path(&self, commit: &str, _: &Lock) -> Result<PathBuf, SourceError> {
        let trees = self.directory.join("trees");
        private_directories(&trees).map_err(|error| failed("prepare", &error))?;
        Ok(trees.join(commit))
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
        self.write(STATE, &state)?;
        self.forget_old_trees(commit);
        Ok(())
    }

    fn write(&self, name: &str, value: &impl Serialize) -> Result<(), SourceError> {
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
            file.write_all(&serde_json::to_vec(value)?)?;
            file.as_file().sync_all()?;
            file.persist(self.directory.join(name))?;
            Ok(())
        };
        write().map_err(|error: io::Error| failed("write", &error))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_that_were_not_used_for_30_days_are_removed() {
        let cache = tempfile::tempdir().unwrap();
        let store = |url| Store::of_packages(cache.path(), url);
        let (own, used, unused) = (store("own"), store("used"), store("unused"));
        let now = SystemTime::now();
        for store in [&own, &used, &unused] {
            drop(Lock::take(store).unwrap());
            let file = File::open(store.directory.join("lock")).unwrap();
            file.set_modified(now - UNUSED - UNUSED).unwrap();
        }
        used.touch();
        let written = Lock::take(&unused).unwrap();
        own.remove_unused_neighbours(now);
        assert!(unused.directory.exists(), "another process writes to it");
        drop(written);
        own.remove_unused_neighbours(now);
        assert!(own.directory.exists() && used.directory.exists());
        assert!(!unused.directory.exists());
    }
}
