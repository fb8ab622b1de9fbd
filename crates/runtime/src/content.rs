//! A skill, read whole: what is approved, and then run, is this and nothing else.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use prowess_core::{Contents, Scope, SkillId, Skills, SourceError};
use prowess_policy::{ContentDigest, Subject};
use prowess_spec::SkillPath;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::limits::{SKILL_BYTES, SKILL_FILES};

/// Every byte of a skill.
#[derive(Clone, Debug)]
pub struct SkillContent {
    /// Its id.
    pub id: SkillId,
    /// Whose it is.
    pub scope: Scope,
    /// Its files, sorted by path.
    files: Vec<(SkillPath, Vec<u8>)>,
    digest: ContentDigest,
}

/// Whether a skill is built in or the user's own, and not a project's or a remote's.
pub fn is_own(scope: Scope) -> bool {
    matches!(scope, Scope::Builtin | Scope::User)
}

/// Why a skill could not be read whole.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// There is too much of it.
    #[error(
        "`{id}` has {files} files and {bytes} bytes; with code it may have {SKILL_FILES} files and {SKILL_BYTES} bytes"
    )]
    TooLarge {
        /// The skill.
        id: SkillId,
        /// Files.
        files: usize,
        /// Bytes.
        bytes: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl SkillContent {
    /// Reads a skill with everything that belongs to it.
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

    /// A skill that consists of these files.
    pub fn new(id: SkillId, scope: Scope, mut files: Vec<(SkillPath, Vec<u8>)>) -> Self {
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let digest = digest(&files);
        Self {
            id,
            scope,
            files,
            digest,
        }
    }

    /// The skill as permissions see it.
    pub fn subject(&self) -> Subject {
        Subject {
            skill: self.id.as_str().to_owned(),
            content: self.digest,
        }
    }

    /// What `--approve-skills` has to name: the id alone of a skill that is built in or the user's own, the id with the
    /// digest of any other.
    pub fn approval_name(&self) -> String {
        if is_own(self.scope) {
            return self.id.to_string();
        }
        format!("{}@{}", self.id, self.digest)
    }

    /// Its files, by path.
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

    /// A directory of its own with exactly these bytes, for programs that read from a disk. Whatever happens to the
    /// place where the skill came from, this is what was approved.
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

/// Whether a file says itself that it is a program: archives and servers do not keep modes.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF")
}

/// One digest over paths and bytes that cannot run into each other.
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
