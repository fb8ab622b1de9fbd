//! One skill with the digests of all its files.

use std::collections::BTreeMap;

use prowess_core::{Contents, FilePart, SkillId, Skills, SourceError, document, media_type};
use prowess_spec::{Mapping, SKILL_FILE, SkillPath};
use serde_json::{Map, Value, json};

use crate::digest::Digest;
use crate::limits::{SKILL_BYTES, SKILL_FILES};
use crate::uri;
use crate::wire::{DIAGNOSTIC, Dynamic, Resources, SkillEntry, SkillFile};

/// A skill and its entry in the listing of the extension.
pub(crate) struct SkillDigests {
    pub(crate) id: SkillId,
    /// The entry, ready to be sent.
    pub(crate) entry: Value,
    /// About how many bytes the entry takes.
    pub(crate) weight: usize,
    /// Every file; none where the skill is for the tools alone.
    pub(crate) files: BTreeMap<SkillPath, FileDigest>,
    /// The digest of the whole entry.
    pub(crate) digest: Digest,
}

/// A file of a skill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileDigest {
    pub(crate) size: u64,
    pub(crate) digest: Digest,
    pub(crate) media_type: &'static str,
}

/// Why a skill is not listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListingError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("name mismatch: expected `{0}` in the frontmatter, as in the URI")]
    Name(String),
}

/// Spellings under which a source may know a skill's own file.
const SPELLINGS: [&str; 3] = [SKILL_FILE, "skill.md", "Skill.md"];

/// Reads a skill's own file, whatever its spelling.
pub(crate) async fn read_skill_file(
    skills: &Skills,
    id: &SkillId,
) -> Result<FilePart, SourceError> {
    let limit = usize::try_from(SKILL_BYTES).unwrap_or(usize::MAX);
    let mut answer = Err(SourceError::NotFound(id.clone()));
    for spelling in SPELLINGS {
        let Ok(path) = SkillPath::parse(spelling) else {
            continue;
        };
        answer = skills.sources().read(id, &path, 0, limit).await;
        if !matches!(answer, Err(SourceError::FileNotFound { .. })) {
            break;
        }
    }
    answer
}

/// Reads all files of a skill and computes their digests.
pub(crate) async fn digest_skill(
    skills: &Skills,
    id: &SkillId,
) -> Result<SkillDigests, ListingError> {
    let contents = skills.sources().contents(id, SKILL_FILES, SKILL_BYTES);
    let files = match contents.await? {
        Contents::Whole(files) => files,
        Contents::TooLarge { files, bytes } => return too_large(skills, id, files, bytes).await,
    };
    let own = files.first().map_or(&[][..], |(_, bytes)| bytes);
    let document = document(id, own, None)?;
    let digests = files.iter().map(|(path, bytes)| {
        let file = FileDigest {
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
            media_type: media_type(path.as_str(), Some(bytes)),
        };
        (path.clone(), file)
    });
    entry(id, &document.skill.frontmatter, digests.collect(), None)
}

async fn too_large(
    skills: &Skills,
    id: &SkillId,
    files: usize,
    bytes: u64,
) -> Result<SkillDigests, ListingError> {
    let document = skills.sources().load(id).await?;
    let message = format!(
        "too large: {files} files and {bytes} bytes, at most {SKILL_FILES} files and {SKILL_BYTES} bytes allowed; use the tools to read it"
    );
    let diagnostic = json!({"code": "skill-too-large", "message": message});
    entry(
        id,
        &document.skill.frontmatter,
        BTreeMap::new(),
        Some(diagnostic),
    )
}

fn entry(
    id: &SkillId,
    frontmatter: &Mapping,
    files: BTreeMap<SkillPath, FileDigest>,
    diagnostic: Option<Value>,
) -> Result<SkillDigests, ListingError> {
    let misnamed = || ListingError::Name(id.name().to_owned());
    let Ok(Value::Object(frontmatter)) = serde_json::to_value(frontmatter) else {
        return Err(misnamed());
    };
    if frontmatter.get("name").and_then(Value::as_str) != Some(id.name()) {
        return Err(misnamed());
    }
    let file = |(path, file): (&SkillPath, &FileDigest)| SkillFile {
        uri: uri::below(id, path.as_str()),
        digest: file.digest,
        size: file.size,
    };
    let entry = SkillEntry {
        uri: uri::skill_uri(id),
        frontmatter,
        // The one word that the extension has for files without digests.
        resources: match diagnostic {
            None => Resources::Files(files.iter().map(file).collect()),
            Some(_) => Resources::Dynamic(Dynamic::Dynamic),
        },
        meta: diagnostic.map(|found| Map::from_iter([(DIAGNOSTIC.to_owned(), found)])),
    };
    let entry = serde_json::to_value(entry).unwrap_or_default();
    let text = entry.to_string();
    Ok(SkillDigests {
        id: id.clone(),
        weight: text.len(),
        digest: Digest::of(text.as_bytes()),
        entry,
        files,
    })
}
