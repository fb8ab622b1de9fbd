//! One skill with the digests of all its files.

use std::collections::BTreeMap;

use prowess_core::{FilePart, SkillId, Skills, SourceError, document};
use prowess_spec::{Mapping, SKILL_FILE, SkillPath};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::digest::Digest;
use crate::limits::{READING_BYTES, SKILL_BYTES, SKILL_FILES};
use crate::media::Kind;
use crate::uri;
use crate::wire::{DIAGNOSTIC, Dynamic, Resources, SkillEntry, SkillFile};

/// A skill as the extension lists it.
pub(crate) struct Indexed {
    pub(crate) id: SkillId,
    /// The entry, ready to be sent.
    pub(crate) entry: Value,
    /// About how many bytes the entry takes.
    pub(crate) weight: usize,
    /// Every file; none where the skill is for the tools alone.
    pub(crate) files: BTreeMap<SkillPath, Indexing>,
    /// The digest of everything that the entry says.
    pub(crate) digest: Digest,
}

/// A file of a skill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indexing {
    pub(crate) size: u64,
    pub(crate) digest: Digest,
    pub(crate) kind: Kind,
}

/// Why a skill is not listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unlistable {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("the frontmatter's name is not `{0}`, which the address of a skill must end in")]
    Name(String),
    #[error("`{0}` was cut short while it was read")]
    Changing(SkillPath),
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

/// Reads all of a skill's files, as far as `room` has place for them.
pub(crate) async fn index(
    skills: &Skills,
    id: &SkillId,
    room: &Semaphore,
) -> Result<Indexed, Unlistable> {
    let sources = skills.sources();
    let others = sources.files(id).await?;
    let beside: u64 = others.iter().map(|file| file.size).sum();
    if others.len() >= SKILL_FILES || beside > SKILL_BYTES {
        return too_large(skills, id, others.len() + 1, beside).await;
    }
    let own = read_skill_file(skills, id).await?;
    let total = beside.saturating_add(own.size);
    if total > SKILL_BYTES {
        return too_large(skills, id, others.len() + 1, total).await;
    }
    let document = document(id, &own.bytes, None)?;
    let mut files = BTreeMap::new();
    if let Ok(path) = SkillPath::parse(SKILL_FILE) {
        files.insert(path.clone(), indexing(&path, &own)?);
    }
    let limit = usize::try_from(SKILL_BYTES).unwrap_or(usize::MAX);
    for file in others {
        let bytes = u32::try_from(file.size).unwrap_or(READING_BYTES);
        let _place = room.acquire_many(bytes.min(READING_BYTES)).await;
        let part = sources.read(id, &file.path, 0, limit).await?;
        let indexing = indexing(&file.path, &part)?;
        files.insert(file.path, indexing);
    }
    entry(id, &document.skill.frontmatter, files, None)
}

fn indexing(path: &SkillPath, part: &FilePart) -> Result<Indexing, Unlistable> {
    // A file that grew or shrank meanwhile has no digest that anybody could rely on.
    if part.bytes.len() as u64 != part.size {
        return Err(Unlistable::Changing(path.clone()));
    }
    Ok(Indexing {
        size: part.size,
        digest: Digest::of(&part.bytes),
        kind: Kind::of(&part.bytes),
    })
}

async fn too_large(
    skills: &Skills,
    id: &SkillId,
    files: usize,
    bytes: u64,
) -> Result<Indexed, Unlistable> {
    let document = skills.sources().load(id).await?;
    let message = format!(
        "{files} files and {bytes} bytes are more than the {SKILL_FILES} files and {SKILL_BYTES} bytes that a \
         skill may have here; the tools serve it"
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
    files: BTreeMap<SkillPath, Indexing>,
    diagnostic: Option<Value>,
) -> Result<Indexed, Unlistable> {
    let misnamed = || Unlistable::Name(id.name().to_owned());
    let Ok(Value::Object(frontmatter)) = serde_json::to_value(frontmatter) else {
        return Err(misnamed());
    };
    if frontmatter.get("name").and_then(Value::as_str) != Some(id.name()) {
        return Err(misnamed());
    }
    let file = |(path, indexing): (&SkillPath, &Indexing)| SkillFile {
        uri: uri::below(id, path.as_str()),
        digest: indexing.digest,
        size: indexing.size,
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
    Ok(Indexed {
        id: id.clone(),
        weight: text.len(),
        digest: Digest::of(text.as_bytes()),
        entry,
        files,
    })
}
