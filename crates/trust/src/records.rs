//! The decisions of the user about projects: one small file for each, in the data directory of the user.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::project::is_foreign;
use crate::reach::{ReachDigest, ReachList, hex};

/// Bytes of one record; a list that is longer cannot be stored.
const RECORD_BYTES: u64 = 1024 * 1024;

/// The decision of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The project may reach what was shown.
    Trusted,
    /// Declined, without asking again about the same list.
    Declined,
}

/// An answer about one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The real path of the project's root.
    pub root: PathBuf,
    /// The answer.
    pub decision: Decision,
    /// The list.
    pub reach: ReachList,
    /// The digest of what was shown.
    pub digest: ReachDigest,
    /// When, as RFC 3339.
    pub decided: String,
}

/// Why an answer was not stored or removed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file could not be written or removed.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The list is longer than a record may be.
    #[error("the list of the project is too long to be stored (more than 1 MiB)")]
    TooLarge,
}

/// Every answer, as files in a directory that only the user can write.
#[derive(Clone, Debug)]
pub struct TrustRecords {
    directory: PathBuf,
}

impl TrustRecords {
    /// The records in `directory`, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The file for one project and one list: a repository may hold several projects.
    fn path(&self, root: &Path, digest: &ReachDigest) -> PathBuf {
        let root = root.as_os_str().as_encoded_bytes();
        let name = Sha256::new()
            .chain_update(root)
            .chain_update([0])
            .chain_update(digest.to_string())
            .finalize();
        self.directory.join(format!("{}.json", hex(&name)))
    }

    /// The last answer about a project, whatever it reaches now.
    pub fn last(&self, root: &Path) -> Option<TrustRecord> {
        let of_root = self.list().into_iter().filter(|it| it.root == root);
        of_root.max_by(|a, b| a.decided.cmp(&b.decided))
    }

    /// The answer about a project that reaches exactly this.
    pub fn decision(&self, root: &Path, reach: &ReachList) -> Option<Decision> {
        let digest = reach.digest();
        let record = read(&self.path(root, &digest))?;
        (record.root == root && record.digest == digest).then_some(record.decision)
    }

    /// Stores an answer. It replaces an earlier one about the same list.
    pub fn store(
        &self,
        root: &Path,
        reach: &ReachList,
        decision: Decision,
    ) -> Result<(), RecordError> {
        let digest = reach.digest();
        let path = self.path(root, &digest);
        let record = TrustRecord {
            root: root.to_owned(),
            decision,
            reach: reach.clone(),
            digest,
            decided: jiff::Timestamp::now().strftime("%FT%TZ").to_string(),
        };
        let failed = |source| RecordError::Write {
            path: path.clone(),
            source,
        };
        let bytes = serde_json::to_vec_pretty(&record).map_err(|error| failed(error.into()))?;
        if bytes.len() as u64 > RECORD_BYTES {
            return Err(RecordError::TooLarge);
        }
        create_private(&self.directory).map_err(failed)?;
        // A temporary file has mode 0600, and a rename replaces a link instead of following it.
        let mut file = tempfile::NamedTempFile::new_in(&self.directory).map_err(failed)?;
        file.write_all(&bytes)
            .and_then(|()| file.as_file().sync_all())
            .map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Removes every answer about a project; whether there was one.
    pub fn revoke(&self, root: &Path) -> Result<bool, RecordError> {
        let mut removed = false;
        for record in self.list().into_iter().filter(|it| it.root == root) {
            let path = self.path(root, &record.digest);
            match fs::remove_file(&path) {
                Ok(()) => removed = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(RecordError::Write { path, source }),
            }
        }
        Ok(removed)
    }

    /// Every answer, sorted by path.
    pub fn list(&self) -> Vec<TrustRecord> {
        let Ok(entries) = fs::read_dir(&self.directory) else {
            return Vec::new();
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut records: Vec<TrustRecord> = paths.filter_map(|path| read(&path)).collect();
        records.sort_by(|a, b| a.root.cmp(&b.root));
        records
    }
}

/// A record written by the user; anything else is ignored.
fn read(path: &Path) -> Option<TrustRecord> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > RECORD_BYTES || is_foreign(&metadata) {
        return None;
    }
    let record: TrustRecord = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    // The list is what was shown; a digest that is not its own belongs to something else.
    (record.reach.digest() == record.digest).then_some(record)
}

pub(crate) fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;
    use crate::Reach;

    fn list(paths: &[&str]) -> ReachList {
        let path = |path: &&str| Reach::Path {
            path: (*path).to_owned(),
        };
        paths.iter().map(path).collect()
    }

    #[test]
    fn an_answer_is_for_one_root_and_one_list() {
        let directory = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(directory.path().join("a/trust"));
        let (root, other) = (Path::new("/p"), Path::new("/q"));
        assert_eq!(records.decision(root, &list(&["/x"])), None);
        records
            .store(root, &list(&["/x"]), Decision::Trusted)
            .unwrap();
        assert_eq!(
            records.decision(root, &list(&["/x"])),
            Some(Decision::Trusted)
        );
        assert_eq!(records.decision(root, &list(&["/x", "/y"])), None);
        // Two projects of one repository have an answer each.
        records
            .store(root, &list(&["/z"]), Decision::Declined)
            .unwrap();
        assert_eq!(
            records.decision(root, &list(&["/x"])),
            Some(Decision::Trusted)
        );
        assert_eq!(records.decision(root, &list(&[])), None);
        assert_eq!(records.decision(other, &list(&["/x"])), None);
        records
            .store(other, &list(&["/x"]), Decision::Declined)
            .unwrap();
        assert_eq!(records.list().len(), 3);
        assert!(records.revoke(root).unwrap());
        assert!(!records.revoke(root).unwrap());
        assert_eq!(records.decision(root, &list(&["/x"])), None);
    }

    #[cfg(unix)]
    #[test]
    fn foreign_records_are_ignored() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(directory.path());
        let (root, reach) = (Path::new("/p"), list(&["/x"]));
        records.store(root, &reach, Decision::Trusted).unwrap();
        let path = records.path(root, &reach.digest());
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o666);
        assert_eq!(records.decision(root, &reach), None, "others may write it");
        mode(0o600);
        assert_eq!(records.decision(root, &reach), Some(Decision::Trusted));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("/x", "/y")).unwrap();
        assert_eq!(
            records.decision(root, &list(&["/y"])),
            None,
            "the digest is not the list's"
        );
        fs::write(&path, "{").unwrap();
        assert_eq!(records.decision(root, &reach), None);
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(records.decision(root, &reach), None, "a link");
        records.store(root, &reach, Decision::Trusted).unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }
}
