//! A skill with code.

use prowess_core::{SkillId, Skills};
use prowess_policy::Right;
use prowess_spec::manifest::{self, Manifest};
use prowess_spec::{Context, Diagnostic, MANIFEST_FILE, Profile, SKILL_FILE, Skill, is_valid};

use crate::content::{ContentError, SkillContent};

/// A skill with a manifest, read whole.
#[derive(Clone, Debug)]
pub struct CodeSkill {
    /// All files.
    pub content: SkillContent,
    /// The parsed manifest.
    pub manifest: Manifest,
}

/// Why a skill is not a code skill.
#[derive(Debug, thiserror::Error)]
pub enum CodeSkillError {
    /// It has instructions and no manifest, or a file of another program in its place.
    #[error("`{0}` has no manifest in {MANIFEST_FILE}, so there is nothing to activate")]
    NoManifest(SkillId),
    /// The manifest is invalid.
    #[error("{MANIFEST_FILE} of `{id}` is invalid: {}", first(diagnostics))]
    Invalid {
        /// The skill.
        id: SkillId,
        /// All problems.
        diagnostics: Vec<Diagnostic>,
    },
    /// It cannot be read.
    #[error(transparent)]
    Content(#[from] ContentError),
}

fn first(diagnostics: &[Diagnostic]) -> &str {
    diagnostics
        .first()
        .map_or("it cannot be read", |found| found.message.as_str())
}

impl CodeSkill {
    /// Reads all files of a skill.
    pub async fn read(skills: &Skills, id: &SkillId) -> Result<Self, CodeSkillError> {
        Self::new(SkillContent::read(skills, id).await?)
    }

    /// Parses the manifest among these files.
    pub fn new(content: SkillContent) -> Result<Self, CodeSkillError> {
        let find = |name: &str| content.files().find(|(path, _)| path.as_str() == name);
        let Some((_, bytes)) = find(MANIFEST_FILE) else {
            return Err(CodeSkillError::NoManifest(content.id));
        };
        let exists = |wanted: &str| content.files().any(|(path, _)| path.as_str() == wanted);
        let files = Context {
            exists: Some(&exists),
            ..Context::default()
        };
        let skill = find(SKILL_FILE)
            .and_then(|(_, bytes)| prowess_spec::parse(bytes, &Context::default()).skill);
        let manifest = parse(&content.id, bytes, &files, skill.as_ref())?;
        Ok(Self { content, manifest })
    }

    /// The id.
    pub fn id(&self) -> &SkillId {
        &self.content.id
    }

    /// The rights that need approval: running the code, and each permission of the manifest.
    pub fn rights(&self) -> Vec<Right> {
        let code = self.manifest.implementation.as_ref().map(|_| Right::Run);
        let asked = self.manifest.permissions.iter().copied().map(Right::Ask);
        code.into_iter().chain(asked).collect()
    }
}

/// Parses a manifest.
pub(crate) fn parse(
    id: &SkillId,
    bytes: &[u8],
    context: &Context<'_>,
    skill: Option<&Skill>,
) -> Result<Manifest, CodeSkillError> {
    let parsed = manifest::parse(bytes, context, skill);
    match parsed.manifest {
        Some(manifest) => Ok(manifest),
        None if is_valid(&parsed.diagnostics, Profile::Load) => {
            Err(CodeSkillError::NoManifest(id.clone()))
        }
        None => Err(CodeSkillError::Invalid {
            id: id.clone(),
            diagnostics: parsed.diagnostics,
        }),
    }
}
