//! A skill that does more than instruct, read whole.

use prowess_core::{Contents, Scope, SkillId, Skills, SourceError};
use prowess_policy::{ContentDigest, Right, Subject};
use prowess_spec::manifest::{self, Manifest};
use prowess_spec::{Context, Diagnostic, MANIFEST_FILE, SKILL_FILE, Skill, SkillPath};
use sha2::{Digest, Sha256};

use crate::limits::{SKILL_BYTES, SKILL_FILES};

/// A skill with a manifest, and every byte of it: what is approved, and then run, is this and nothing else.
#[derive(Clone, Debug)]
pub struct LivingSkill {
    /// Its id.
    pub id: SkillId,
    /// Whose it is.
    pub scope: Scope,
    /// What it wants to be.
    pub manifest: Manifest,
    /// Its files, sorted by path.
    pub files: Vec<(SkillPath, Vec<u8>)>,
    digest: ContentDigest,
}

/// Why a skill cannot live.
#[derive(Debug, thiserror::Error)]
pub enum LivingError {
    /// It has no manifest: there are only instructions.
    #[error("`{0}` has no {MANIFEST_FILE}, so there is nothing to activate")]
    NoManifest(SkillId),
    /// The manifest is wrong.
    #[error("{MANIFEST_FILE} of `{id}` is invalid: {}", first(diagnostics))]
    Invalid {
        /// The skill.
        id: SkillId,
        /// Everything that is wrong.
        diagnostics: Vec<Diagnostic>,
    },
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

fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics
        .first()
        .map_or("it cannot be read", |found| found.message.as_str())
}

impl LivingSkill {
    /// Reads a skill with everything that belongs to it.
    pub async fn read(skills: &Skills, id: &SkillId) -> Result<Self, LivingError> {
        let catalog = skills.catalog();
        let scope = catalog.get(id.as_str()).map(|found| found.descriptor.scope);
        let contents = skills
            .sources()
            .contents(id, SKILL_FILES, SKILL_BYTES)
            .await?;
        match contents {
            Contents::Whole(files) => Self::new(id.clone(), scope.unwrap_or(Scope::Remote), files),
            Contents::TooLarge { files, bytes } => Err(LivingError::TooLarge {
                id: id.clone(),
                files,
                bytes,
            }),
        }
    }

    /// A skill that consists of these files.
    pub fn new(
        id: SkillId,
        scope: Scope,
        mut files: Vec<(SkillPath, Vec<u8>)>,
    ) -> Result<Self, LivingError> {
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let find = |name: &str| files.iter().find(|(path, _)| path.as_str() == name);
        let Some((_, bytes)) = find(MANIFEST_FILE) else {
            return Err(LivingError::NoManifest(id));
        };
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let exists = |path: &str| paths.contains(&path);
        let context = Context {
            exists: Some(&exists),
            ..Context::default()
        };
        let skill = find(SKILL_FILE)
            .and_then(|(_, bytes)| prowess_spec::parse(bytes, &Context::default()).skill);
        let manifest = parse(&id, bytes, &context, skill.as_ref())?;
        let digest = digest(&files);
        Ok(Self {
            id,
            scope,
            manifest,
            files,
            digest,
        })
    }

    /// The skill as permissions see it.
    pub fn subject(&self) -> Subject {
        Subject {
            skill: self.id.as_str().to_owned(),
            content: self.digest,
        }
    }

    /// What it wants somebody to say yes to: that its code runs, and each thing that the code may ask for.
    pub fn rights(&self) -> Vec<Right> {
        let code = self.manifest.implementation.as_ref().map(|_| Right::Run);
        let asked = self.manifest.permissions.iter().copied().map(Right::Ask);
        code.into_iter().chain(asked).collect()
    }

    /// The bytes of a file.
    pub fn file(&self, path: &SkillPath) -> Option<&[u8]> {
        let at = self
            .files
            .binary_search_by(|(found, _)| found.cmp(path))
            .ok()?;
        self.files.get(at).map(|(_, bytes)| bytes.as_slice())
    }
}

/// The manifest in these bytes, or everything that is wrong with it.
pub(crate) fn parse(
    id: &SkillId,
    bytes: &[u8],
    context: &Context<'_>,
    skill: Option<&Skill>,
) -> Result<Manifest, LivingError> {
    let parsed = manifest::parse(bytes, context, skill);
    parsed.manifest.ok_or_else(|| LivingError::Invalid {
        id: id.clone(),
        diagnostics: parsed.diagnostics,
    })
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
