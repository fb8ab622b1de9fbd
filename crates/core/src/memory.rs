//! Skills that a program holds itself.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use async_trait::async_trait;
use prowess_spec::{Context, SkillName, SkillPath, head_with_diagnostics, nearest, parse};

use crate::descriptor::{Descriptor, Scope};
use crate::id::{CollectionPath, SkillId};
use crate::source::{Document, FileEntry, FilePart, Invalid, Snapshot, Source, SourceError};

/// A source over skills in memory.
///
/// ```
/// use prowess_core::{MemorySource, Scope};
///
/// let mut source = MemorySource::new(Scope::Project);
/// source.add("writing/haiku", "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n");
/// assert_eq!(source.len(), 1);
/// ```
#[derive(Debug)]
pub struct MemorySource {
    scope: Scope,
    skills: BTreeMap<SkillId, MemorySkill>,
    invalid: Vec<Invalid>,
}

#[derive(Debug)]
struct MemorySkill {
    text: String,
    files: BTreeMap<SkillPath, Vec<u8>>,
    metadata: Vec<(String, String)>,
}

impl MemorySkill {
    /// Metadata of the program's that the author did not state.
    fn added<'e>(
        &'e self,
        has: impl Fn(&str) -> bool + 'e,
    ) -> impl Iterator<Item = &'e (String, String)> {
        self.metadata.iter().filter(move |(key, _)| !has(key))
    }
}

impl MemorySource {
    /// A source without skills yet.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            skills: BTreeMap::new(),
            invalid: Vec::new(),
        }
    }

    /// Adds the skill whose `SKILL.md` is `text`. The last component of `path` is its directory.
    ///
    /// An invalid skill is stored with its reasons, and `None` is returned.
    pub fn add(&mut self, path: &str, text: &str) -> Option<SkillId> {
        self.add_owned(path, text.to_owned())
    }

    /// The same for a text that is not copied, because it may be large.
    pub fn add_owned(&mut self, path: &str, text: String) -> Option<SkillId> {
        let mut parts: Vec<&str> = path.split('/').collect();
        let directory = parts.pop();
        let (head, diagnostics) = head_with_diagnostics(text.as_bytes(), directory);
        let name = head.and_then(|head| SkillName::parse(&head.name).ok());
        let Some(name) = name else {
            self.invalid.push(Invalid::new(path, diagnostics));
            return None;
        };
        let id = SkillId::new(CollectionPath::from_directories(parts).as_ref(), &name);
        let entry = MemorySkill {
            text,
            files: BTreeMap::new(),
            metadata: Vec::new(),
        };
        self.skills.insert(id.clone(), entry);
        Some(id)
    }

    /// Adds a file to a skill that is there.
    pub fn add_file(&mut self, id: &SkillId, path: SkillPath, bytes: impl Into<Vec<u8>>) {
        if let Some(entry) = self.skills.get_mut(id) {
            entry.files.insert(path, bytes.into());
        }
    }

    /// Adds metadata to an existing skill; values of its author take precedence.
    pub fn add_metadata(
        &mut self,
        id: &SkillId,
        metadata: impl IntoIterator<Item = (String, String)>,
    ) {
        if let Some(entry) = self.skills.get_mut(id) {
            entry.metadata.extend(metadata);
        }
    }

    /// Records an invalid skill.
    pub fn reject(&mut self, path: &str, problem: &str) {
        self.invalid.push(Invalid {
            problem: Some(problem.to_owned()),
            ..Invalid::new(path, Vec::new())
        });
    }

    /// The number of skills.
    pub fn len(&self) -> usize {
        self.skills.len()
    }

    /// Whether it has no skills.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    fn entry(&self, id: &SkillId) -> Result<&MemorySkill, SourceError> {
        self.skills
            .get(id)
            .ok_or_else(|| SourceError::NotFound(id.clone()))
    }
}

#[async_trait]
impl Source for MemorySource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let descriptor = |(id, entry): (&SkillId, &MemorySkill)| {
            let head = prowess_spec::head(entry.text.as_bytes(), Some(id.name()))?;
            let length = entry.text.len() as u64;
            let stamp = hash(&entry.text);
            let mut descriptor = Descriptor::new(id.clone(), &head, self.scope, length, stamp);
            let has = |key: &str| head.metadata.iter().any(|(known, _)| known == key);
            let added = entry.added(has);
            let added = added.map(|(key, value)| (key.as_str().into(), value.as_str().into()));
            let stated = std::mem::take(&mut descriptor.metadata);
            descriptor.metadata = stated.into_iter().chain(added).collect();
            Some(descriptor)
        };
        Ok(Arc::new(Snapshot {
            skills: self.skills.iter().filter_map(descriptor).collect(),
            invalid: self.invalid.clone(),
            ..Snapshot::default()
        }))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        let entry = self.entry(id)?;
        let mut document = document(id, entry.text.as_bytes(), None)?;
        let stated = document.skill.metadata.clone();
        let has = |key: &str| stated.iter().any(|(known, _)| known == key);
        document.skill.metadata.extend(entry.added(has).cloned());
        Ok(document)
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        let files = self.entry(id)?.files.iter();
        let file = |(path, bytes): (&SkillPath, &Vec<u8>)| FileEntry {
            path: path.clone(),
            size: bytes.len() as u64,
        };
        Ok(files.map(file).collect())
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let entry = self.entry(id)?;
        let bytes = match entry.files.get(path) {
            Some(bytes) => bytes.as_slice(),
            None if path.as_str() == prowess_spec::SKILL_FILE => entry.text.as_bytes(),
            None => {
                let names = entry.files.keys().map(SkillPath::as_str);
                let nearest = nearest(path.as_str(), names).into_iter().map(str::to_owned);
                return Err(SourceError::FileNotFound {
                    id: id.clone(),
                    path: path.clone(),
                    nearest: nearest.collect(),
                });
            }
        };
        Ok(FilePart::of(bytes, offset, limit))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The document that `bytes` hold, or why they do not.
pub fn document(
    id: &SkillId,
    bytes: &[u8],
    location: Option<String>,
) -> Result<Document, SourceError> {
    let context = Context {
        directory: Some(id.name()),
        ..Context::default()
    };
    let parsed = parse(bytes, &context);
    let reason = || {
        let errors = parsed
            .diagnostics
            .iter()
            .map(|found| found.message.as_str());
        errors.collect::<Vec<_>>().join("; ")
    };
    match parsed.skill {
        Some(skill) => Ok(Document {
            id: id.clone(),
            skill,
            body: parsed.body.to_owned(),
            location,
        }),
        None => Err(SourceError::Invalid {
            id: id.clone(),
            reason: reason(),
        }),
    }
}
