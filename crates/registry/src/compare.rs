//! What is on disk, compared with what the lock file says.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use prowess_archive::limits;
use prowess_policy::ContentDigest;
use prowess_sources::{is_temporary, open_without_waiting};
use prowess_spec::SkillPath;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::plugin_listing::{names, plugin_files_among};

/// A difference between the disk and the lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FileChange {
    /// The file, or the name of something else in the directory.
    pub path: String,
    /// The difference.
    pub change: ChangeKind,
}

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The content differs.
    Changed,
    /// It is not in the lock file.
    Added,
    /// It is not on disk.
    Removed,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        })
    }
}

/// Files that programs write on their own.
const IGNORED: [&str; 2] = [".DS_Store", "__pycache__"];

/// The differences between a directory and the files that the lock file has; `None` if the directory does not exist.
pub fn compare(
    directory: &Path,
    files: &BTreeMap<SkillPath, ContentDigest>,
) -> io::Result<Option<Vec<FileChange>>> {
    Ok(Comparison::of(directory, files)?.map(|found| found.changes))
}

/// What is found in the directory of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The differences from the lock file.
    pub changes: Vec<FileChange>,
    /// The names that make a plugin of it.
    pub plugin_files: Vec<String>,
}

/// The same as [`compare`], and whether it is a plugin.
pub fn compare_with_plugin(
    directory: &Path,
    files: &BTreeMap<SkillPath, ContentDigest>,
) -> io::Result<Option<Compared>> {
    let found = Comparison::of(directory, files)?;
    Ok(found.map(|found| Compared {
        plugin_files: plugin_files_among(directory, &found.names),
        changes: found.changes,
    }))
}

struct Comparison<'f> {
    root: PathBuf,
    files: &'f BTreeMap<SkillPath, ContentDigest>,
    seen: usize,
    changes: Vec<FileChange>,
    /// Everything that is no directory.
    names: Vec<String>,
}

impl<'f> Comparison<'f> {
    fn of(
        directory: &Path,
        files: &'f BTreeMap<SkillPath, ContentDigest>,
    ) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(io::Error::other("not a directory")),
        }
        let mut comparison = Self {
            root: fs::canonicalize(directory)?,
            files,
            seen: 0,
            changes: Vec::new(),
            names: Vec::new(),
        };
        comparison.directory(directory, "", 0)?;
        if comparison.seen < files.len() {
            let gone = |path: &&SkillPath| !directory.join(path.as_str()).exists();
            for path in files.keys().filter(gone) {
                comparison.add(path.as_str(), ChangeKind::Removed);
            }
        }
        comparison.changes.sort();
        comparison.changes.dedup();
        Ok(Some(comparison))
    }

    fn add(&mut self, path: &str, change: ChangeKind) {
        let path = path.to_owned();
        self.changes.push(FileChange { path, change });
    }

    fn directory(&mut self, directory: &Path, inside: &str, depth: usize) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = if inside.is_empty() {
                name.to_string()
            } else {
                format!("{inside}/{name}")
            };
            let mut kind = entry.file_type()?;
            if IGNORED.contains(&&*name) || is_temporary(&name) {
                if kind.is_dir() {
                    let below = names(&entry.path()).into_iter();
                    let below = below.map(|below| format!("{path}/{below}"));
                    self.names.extend(below);
                } else {
                    self.names.push(path);
                }
                continue;
            }
            if kind.is_symlink()
                && let Ok(target) = fs::canonicalize(entry.path())
                && target.starts_with(&self.root)
            {
                // A link that stays inside is read as what it leads to, as it is when a skill is read.
                kind = fs::metadata(target)?.file_type();
            }
            if kind.is_dir() && depth < limits::DEPTH {
                self.directory(&entry.path(), &path, depth + 1)?;
                continue;
            }
            self.names.push(path.clone());
            let expected = SkillPath::parse(&path).ok();
            let expected = expected.and_then(|it| self.files.get(&it)).copied();
            let Some(expected) = expected else {
                self.add(&path, ChangeKind::Added);
                continue;
            };
            self.seen += 1;
            if !kind.is_file() || digest(&entry.path())? != expected {
                self.add(&path, ChangeKind::Changed);
            }
        }
        Ok(())
    }
}

fn digest(path: &Path) -> io::Result<ContentDigest> {
    let mut file = open_without_waiting(path)?;
    let mut hasher = Sha256::new();
    // Nearly every file is smaller; for others, hashing takes longer than one more call.
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(ContentDigest(hasher.finalize().into()));
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}
