//! The content of a skill. Exactly these bytes are approved and run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use prowess_core::{Contents, Scope, SkillId, Skills, SourceError};
use prowess_policy::{ContentDigest, Subject};
use prowess_spec::SkillPath;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::limits::{SKILL_BYTES, SKILL_FILES};

/// All files of a skill. Clones share them.
#[derive(Clone, Debug)]
pub struct SkillContent {
    /// The id.
    pub id: SkillId,
    /// Where the skill comes from.
    pub scope: Scope,
    /// Files, sorted by path.
    files: Arc<[(SkillPath, Vec<u8>)]>,
    digest: ContentDigest,
}

/// Whether a scope is built-in or the user's own, and not of a project or a remote source.
pub fn is_own(scope: Scope) -> bool {
    matches!(scope, Scope::Builtin | Scope::User)
}

/// Why a skill cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// It is too large.
    #[error(
        "`{id}` has {files} files and {bytes} bytes; a code skill may have {SKILL_FILES} files and {SKILL_BYTES} bytes"
    )]
    TooLarge {
        /// The skill.
        id: SkillId,
        /// Number of files.
        files: usize,
        /// Total size.
        bytes: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl SkillContent {
    /// Reads all files of a skill.
    pub async fn read(skills: &Skills, id: &SkillId) -> Result<Self, ContentError> {
        let catalog = skills.catalog();
        let scope = catalog.get(id.as_str()).map(|found| found.descriptor.scope);
        let contents = skills.sources().contents(id, SKILL_FILES, SKILL_BYTES);
        match contents.await? {
            Contents::Whole(files) => {
                Ok(Self::new(id.clone(), scope.unwrap_or(Scope::Remote), files))
            }
            Contents::TooLarge { files, bytes } => Err(ContentError::TooLarge {
                id: id.clone(),
                files,
                bytes,
            }),
        }
    }

    /// Creates content from files.
    pub fn new(id: SkillId, scope: Scope, mut files: Vec<(SkillPath, Vec<u8>)>) -> Self {
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let digest = digest(&files);
        Self {
            id,
            scope,
            files: files.into(),
            digest,
        }
    }

    /// The id and digest that approvals are bound to.
    pub fn subject(&self) -> Subject {
        Subject {
            skill: self.id.as_str().to_owned(),
            content: self.digest,
        }
    }

    /// The value for `--approve-skills`: the id of a built-in or user skill, and the id with the digest of any
    /// other.
    pub fn approval_name(&self) -> String {
        if is_own(self.scope) {
            return self.id.to_string();
        }
        format!("{}@{}", self.id, self.digest)
    }

    /// The files, sorted by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&SkillPath, &[u8])> {
        self.files
            .iter()
            .map(|(path, bytes)| (path, bytes.as_slice()))
    }

    /// The bytes of a file.
    pub fn file(&self, path: &SkillPath) -> Option<&[u8]> {
        let at = self
            .files
            .binary_search_by(|(found, _)| found.cmp(path))
            .ok()?;
        self.files.get(at).map(|(_, bytes)| bytes.as_slice())
    }

    /// Writes the files to a new temporary directory, so that programs read the approved bytes even if the source
    /// changes.
    pub(crate) fn unpack(&self) -> io::Result<TempDir> {
        let place = tempfile::Builder::new()
            .prefix("prowess-skill-")
            .tempdir()?;
        let directory = Dir::open_ambient_dir(place.path(), ambient_authority())?;
        for (path, bytes) in self.files() {
            let inside = Path::new(path.as_str());
            if let Some(parent) = inside.parent().filter(|it| !it.as_os_str().is_empty()) {
                directory.create_dir_all(parent)?;
            }
            directory.write(inside, bytes)?;
            #[cfg(unix)]
            if is_program(bytes) {
                use cap_std::fs::PermissionsExt;
                let executable = cap_std::fs::Permissions::from_mode(0o755);
                directory.set_permissions(inside, executable)?;
            }
        }
        Ok(place)
    }
}

/// A file that differs from an earlier content of its skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path.
    pub path: String,
    /// What happened to it.
    pub change: FileChangeKind,
}

/// What happened to a file of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// It is new.
    Added,
    /// It has other bytes.
    Changed,
    /// It is gone.
    Removed,
}

impl FileChangeKind {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// The digest of each file of a skill, by path.
pub(crate) type FileDigests = BTreeMap<String, String>;

impl SkillContent {
    pub(crate) fn file_digests(&self) -> FileDigests {
        let files = self.files();
        let digest = |bytes: &[u8]| ContentDigest(Sha256::digest(bytes).into()).to_string();
        files
            .map(|(path, bytes)| (path.to_string(), digest(bytes)))
            .collect()
    }

    /// What differs from an earlier content, by path.
    pub(crate) fn changes_since(&self, before: &FileDigests) -> Vec<ChangedFile> {
        let now = self.file_digests();
        let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let change = |path: &String| match (before.get(path), now.get(path)) {
            (None, _) => Some(FileChangeKind::Added),
            (_, None) => Some(FileChangeKind::Removed),
            (before, now) => (before != now).then_some(FileChangeKind::Changed),
        };
        let changed = paths.into_iter().filter_map(|path| {
            Some(ChangedFile {
                path: path.clone(),
                change: change(path)?,
            })
        });
        changed.collect()
    }
}

/// Whether a file begins like a program; archives and servers do not preserve modes.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF")
}

/// A digest over length-prefixed paths and bytes.
fn digest(files: &[(SkillPath, Vec<u8>)]) -> ContentDigest {
    let mut hasher = Sha256::new();
    for (path, bytes) in files {
        for part in [path.as_str().as_bytes(), bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    ContentDigest(hasher.finalize().into())
}
