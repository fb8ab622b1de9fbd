//! Skills that the user is writing: for a day, what was accepted once is not asked again.
//!
//! A record is about a directory, whatever its files are, so it ends when others may have changed them: when another commit is
//! checked out, and when a program of ours writes there.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::project::is_foreign;
use crate::reach::hex;
use crate::records::{RecordError, create_private};
use crate::repository::LocalRepository;

/// Hours for which an answer counts.
pub const WORK_HOURS: i64 = 24;
/// Bytes of one record.
const RECORD_BYTES: u64 = 64 * 1024;
/// Entries of a directory that are compared; one with more counts as changed.
const ENTRIES: usize = 100_000;

/// What the user accepted for the skill in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkRecord {
    /// The real path.
    pub directory: PathBuf,
    /// Names of permissions.
    pub permissions: Vec<String>,
    /// When it ends.
    pub until: Timestamp,
    /// Device and inode of the directory.
    place: (u64, u64),
    /// The commit that was checked out, and how; `None` outside of a repository.
    head: Option<String>,
}

/// Every such answer, as files in a directory that only the user can write.
#[derive(Clone, Debug)]
pub struct WorkRecords {
    directory: PathBuf,
}

impl WorkRecords {
    /// The records in `directory`, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// Stores what was accepted for a directory, from now on.
    pub fn store(
        &self,
        directory: &Path,
        permissions: Vec<String>,
    ) -> Result<WorkRecord, RecordError> {
        let failed = |source| RecordError::Write {
            path: directory.to_owned(),
            source,
        };
        let directory = fs::canonicalize(directory).map_err(failed)?;
        let metadata = fs::metadata(&directory).map_err(failed)?;
        let record = WorkRecord {
            place: identity(&metadata),
            head: head(&directory),
            permissions,
            until: Timestamp::now()
                .saturating_add(WORK_HOURS.hours())
                .map_err(|error| failed(io::Error::other(error)))?,
            directory,
        };
        self.write(&record)?;
        Ok(record)
    }

    fn write(&self, record: &WorkRecord) -> Result<(), RecordError> {
        let path = self.path(&record.directory);
        let failed = |source| RecordError::Write {
            path: path.clone(),
            source,
        };
        let bytes = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
        create_private(&self.directory).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.directory).map_err(failed)?;
        file.write_all(&bytes).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn path(&self, directory: &Path) -> PathBuf {
        let name = Sha256::digest(directory.as_os_str().as_encoded_bytes());
        self.directory.join(format!("{}.json", hex(&name)))
    }

    /// What counts for the skill in this directory now.
    pub fn of(&self, directory: &Path) -> Option<WorkRecord> {
        let directory = fs::canonicalize(directory).ok()?;
        read(&self.path(&directory))
            .filter(|record| record.directory == directory && record.counts())
    }

    /// Every answer that counts, sorted by path.
    pub fn list(&self) -> Vec<WorkRecord> {
        let entries = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten();
        let records = entries.filter_map(|entry| read(&entry.path()));
        let mut records: Vec<WorkRecord> = records.filter(WorkRecord::counts).collect();
        records.sort_by(|a, b| a.directory.cmp(&b.directory));
        records
    }

    /// Removes the answer for a directory; whether there was one.
    pub fn end(&self, directory: &Path) -> Result<bool, RecordError> {
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let path = self.path(&directory);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(RecordError::Write { path, source }),
        }
    }

    /// To be called before a program of ours may write at a path or below it, and kept until it cannot any more. Meanwhile no
    /// answer counts that the writing concerns; afterwards those count again whose directories are unchanged.
    ///
    /// A process that is killed meanwhile leaves them ended.
    pub fn writing(&self, path: &Path) -> Writing {
        let real = existing(path);
        let concerns = |record: &WorkRecord| {
            record.directory.starts_with(&real) || real.starts_with(&record.directory)
        };
        let mut suspended = Vec::new();
        for record in self.list().into_iter().filter(concerns) {
            let before = stamps(&record.directory);
            if let (Ok(true), Some(before)) = (self.end(&record.directory), before) {
                suspended.push((record, before));
            }
        }
        Writing {
            records: self.clone(),
            suspended,
        }
    }
}

/// Answers that do not count while something may be written.
#[derive(Debug)]
#[must_use]
pub struct Writing {
    records: WorkRecords,
    suspended: Vec<(WorkRecord, [u8; 32])>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        for (record, before) in self.suspended.drain(..) {
            let is_new = self.records.path(&record.directory).exists();
            if !is_new && stamps(&record.directory) == Some(before) {
                // Without it, the user is asked again.
                let _ = self.records.write(&record);
            }
        }
    }
}

impl WorkRecord {
    fn counts(&self) -> bool {
        let metadata = fs::metadata(&self.directory);
        let age = self.until.duration_since(Timestamp::now());
        // A clock that was set back does not make it longer.
        let is_in_time = age.is_positive() && age.as_hours() <= WORK_HOURS;
        is_in_time
            && metadata.is_ok_and(|found| identity(&found) == self.place && !is_foreign(&found))
            && head(&self.directory) == self.head
    }
}

/// A record written by the user; anything else is ignored.
fn read(path: &Path) -> Option<WorkRecord> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > RECORD_BYTES || is_foreign(&metadata) {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// The real path of the nearest directory or file above that exists.
fn existing(path: &Path) -> PathBuf {
    let mut above = path.ancestors();
    let real = above.find_map(|path| fs::canonicalize(path).ok());
    real.unwrap_or_else(|| path.to_owned())
}

/// The commit that is checked out in the repository of a directory, with the name of its branch.
fn head(directory: &Path) -> Option<String> {
    let root = directory
        .ancestors()
        .find(|path| path.join(".git").exists())?;
    Some(LocalRepository::at(root).head())
}

/// A digest of what is in a directory, by the times and places of its files.
fn stamps(directory: &Path) -> Option<[u8; 32]> {
    let mut left = vec![directory.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).ok()? {
            let path = entry.ok()?.path();
            let metadata = fs::symlink_metadata(&path).ok()?;
            found.push((path.clone(), stamp(&metadata)));
            if found.len() > ENTRIES {
                return None;
            }
            if metadata.is_dir() {
                left.push(path);
            }
        }
    }
    found.sort_unstable();
    let mut digest = Sha256::new();
    for (path, stamp) in found {
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update(format!("\0{stamp:?}\0"));
    }
    Some(digest.finalize().into())
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(unix)]
fn stamp(metadata: &Metadata) -> [i64; 6] {
    use std::os::unix::fs::MetadataExt;
    [
        metadata.ino().cast_signed(),
        metadata.size().cast_signed(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}

#[cfg(not(unix))]
fn stamp(metadata: &Metadata) -> (u64, Option<std::time::SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    struct Bench {
        _place: tempfile::TempDir,
        skill: PathBuf,
        records: WorkRecords,
    }

    fn bench() -> Bench {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let skill = root.join("project/skills/mine");
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "1").unwrap();
        let records = WorkRecords::new(root.join("data/work"));
        Bench {
            _place: place,
            skill,
            records,
        }
    }

    impl Bench {
        fn accept(&self) {
            self.records
                .store(&self.skill, vec!["net:fetch".to_owned()])
                .unwrap();
        }

        fn counts(&self) -> bool {
            self.records.of(&self.skill).is_some()
        }
    }

    #[test]
    fn q51_an_answer_ends_when_something_of_ours_writes_there() {
        let bench = bench();
        bench.accept();
        fs::write(bench.skill.join("SKILL.md"), "saved by the author").unwrap();
        assert!(bench.counts());
        let project = bench.skill.parent().unwrap().parent().unwrap();
        for path in [project, &bench.skill, &bench.skill.join("scripts/new.py")] {
            let writing = bench.records.writing(path);
            assert!(!bench.counts(), "{path:?}: it may be written now");
            drop(writing);
            assert!(bench.counts(), "{path:?}: nothing was written");
        }
        drop(bench.records.writing(&project.join("other")));
        assert!(bench.counts());
        let writing = bench.records.writing(project);
        fs::write(bench.skill.join("SKILL.md"), "2").unwrap();
        drop(writing);
        assert!(!bench.counts());
    }

    #[test]
    fn q51_an_answer_ends_with_a_commit_a_day_and_the_directory() {
        let bench = bench();
        let project = bench.skill.parent().unwrap().parent().unwrap().to_owned();
        let git = project.join(".git");
        let branch = git.join("refs/heads/main");
        fs::create_dir_all(branch.parent().unwrap()).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(&branch, "1111\n").unwrap();
        bench.accept();
        assert!(bench.counts());
        fs::write(&branch, "2222\n").unwrap();
        assert!(!bench.counts(), "another commit");
        fs::write(&branch, "1111\n").unwrap();
        fs::write(git.join("HEAD"), "1111\n").unwrap();
        assert!(!bench.counts(), "another branch");
        bench.accept();
        fs::remove_file(&branch).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("packed-refs"), "# pack\n1111 refs/heads/main\n").unwrap();
        bench.accept();
        assert!(bench.counts());
        fs::write(git.join("packed-refs"), "# pack\n2222 refs/heads/main\n").unwrap();
        assert!(!bench.counts(), "another packed commit");

        bench.accept();
        let path = bench.records.path(&bench.skill);
        let mut record = read(&path).unwrap();
        for hours in [-1, WORK_HOURS + 2] {
            record.until = Timestamp::now().saturating_add(hours.hours()).unwrap();
            bench.records.write(&record).unwrap();
            assert!(!bench.counts(), "{hours}");
        }
        bench.accept();
        let moved = bench.skill.with_file_name("moved");
        fs::rename(&bench.skill, &moved).unwrap();
        fs::create_dir(&bench.skill).unwrap();
        assert!(!bench.counts(), "another directory");
    }
}
