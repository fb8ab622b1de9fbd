//! Where skills come from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use prowess_spec::{Diagnostic, Profile, SKILL_FILE, Severity, Skill, SkillPath};
use serde::Serialize;

use crate::descriptor::Descriptor;
use crate::id::{CollectionPath, SkillId};
use crate::writer::SkillWriter;

/// A source of skills.
#[async_trait]
pub trait Source: Send + Sync {
    /// Everything that is there now.
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError>;

    /// A skill with its instructions.
    async fn load(&self, id: &SkillId) -> Result<Document, SourceError>;

    /// The files beside the instructions, sorted by path.
    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError>;

    /// The bytes of a file, at most `limit` of them from `offset` on.
    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError>;

    /// Every file of a skill with its bytes, its own file first and under its usual name; nothing of a skill that
    /// has more than that. Sources that can do it in one go should.
    async fn contents(
        &self,
        id: &SkillId,
        max_files: usize,
        max_bytes: u64,
    ) -> Result<Contents, SourceError> {
        let listed = self.files(id).await?;
        let beside: u64 = listed.iter().map(|file| file.size).sum();
        if listed.len() >= max_files || beside > max_bytes {
            return Ok(Contents::TooLarge {
                files: listed.len() + 1,
                bytes: beside,
            });
        }
        let limit = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        let mut own = Err(SourceError::NotFound(id.clone()));
        for path in [SKILL_FILE, "skill.md", "Skill.md"].map(SkillPath::parse) {
            own = match path {
                Ok(path) => self.read(id, &path, 0, limit).await,
                Err(_) => continue,
            };
            if !matches!(own, Err(SourceError::FileNotFound { .. })) {
                break;
            }
        }
        let own = own?;
        let bytes = beside.saturating_add(own.size);
        if bytes > max_bytes {
            let files = listed.len() + 1;
            return Ok(Contents::TooLarge { files, bytes });
        }
        let mut files = Vec::with_capacity(listed.len() + 1);
        if let Ok(path) = SkillPath::parse(SKILL_FILE) {
            files.push((path, own.whole(SKILL_FILE)?));
        }
        for file in listed {
            let part = self.read(id, &file.path, 0, limit).await?;
            let bytes = part.whole(file.path.as_str())?;
            files.push((file.path, bytes));
        }
        Ok(Contents::Whole(files))
    }

    /// The directory of a skill, for dialects that show one; most sources have none.
    fn location(&self, _id: &SkillId) -> Option<String> {
        None
    }

    /// The age of the last snapshot, and the error of the last refresh.
    fn freshness(&self) -> Freshness {
        Freshness::default()
    }

    /// Who names the skills.
    fn origin(&self) -> Origin {
        Origin::Chosen
    }

    /// Directories whose changes change the skills; most sources have none.
    fn directories(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Writes the skills; most sources are read-only.
    fn writer(&self) -> Option<&dyn SkillWriter> {
        None
    }
}

#[async_trait]
impl<S: Source + ?Sized> Source for Arc<S> {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        (**self).snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        (**self).load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        (**self).files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        (**self).read(id, path, offset, limit).await
    }

    async fn contents(
        &self,
        id: &SkillId,
        max_files: usize,
        max_bytes: u64,
    ) -> Result<Contents, SourceError> {
        (**self).contents(id, max_files, max_bytes).await
    }

    fn location(&self, id: &SkillId) -> Option<String> {
        (**self).location(id)
    }

    fn freshness(&self) -> Freshness {
        (**self).freshness()
    }

    fn origin(&self) -> Origin {
        (**self).origin()
    }

    fn directories(&self) -> Vec<PathBuf> {
        (**self).directories()
    }

    fn writer(&self) -> Option<&dyn SkillWriter> {
        (**self).writer()
    }
}

/// Who names the skills of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user or the project, by choosing a place and what is in it.
    #[default]
    Chosen,
    /// A server that can list another name at any time: its skills take no id that another skill has.
    Server,
}

/// How old an answer is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Time of the last response; `None` for local sources, which read each time.
    pub refreshed: Option<SystemTime>,
    /// Why the answer is an old one, if it is.
    pub stale: Option<String>,
}

/// The content of a source at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The skills, sorted by id.
    pub skills: Vec<Descriptor>,
    /// The directory of each of them, relative to the source; empty if the source has none.
    pub directories: Vec<Box<str>>,
    /// Invalid skills.
    pub invalid: Vec<Invalid>,
    /// Descriptions of collections.
    pub collections: BTreeMap<CollectionPath, String>,
    /// Warnings about the source as a whole.
    pub warnings: Vec<String>,
    /// Hidden directories that were not searched.
    pub hidden: usize,
}

impl Snapshot {
    /// Where the skill with this id is.
    pub(crate) fn position(&self, id: &SkillId) -> Option<usize> {
        self.skills.binary_search_by(|skill| skill.id.cmp(id)).ok()
    }

    /// The same, sorted by id.
    pub(crate) fn sorted(mut self) -> Self {
        self.skills.sort_by(|a, b| a.id.cmp(&b.id));
        // They belong to positions.
        self.directories.clear();
        self
    }
}

/// A skill that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Its location, as reported by the source.
    pub path: String,
    /// Diagnostics of its text.
    pub diagnostics: Vec<Diagnostic>,
    /// Other problems.
    pub problem: Option<String>,
}

impl Invalid {
    /// A skill whose text cannot be used.
    pub fn new(path: impl Into<String>, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            path: path.into(),
            diagnostics,
            problem: None,
        }
    }

    /// Every error, one line each; first those that prevent loading.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        let is_error =
            |found: &&Diagnostic, profile| found.severity(profile) == Some(Severity::Error);
        let all = self.diagnostics.iter();
        let fatal = all.clone().filter(move |it| is_error(it, Profile::Load));
        let others =
            all.filter(move |it| !is_error(it, Profile::Load) && is_error(it, Profile::Check));
        let messages = fatal.chain(others).map(|found| found.message.as_str());
        self.problem.as_deref().into_iter().chain(messages)
    }

    /// Why it cannot be used.
    pub fn reason(&self) -> &str {
        self.reasons().next().unwrap_or_default()
    }
}

/// A loaded skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its id.
    pub id: SkillId,
    /// Its frontmatter.
    pub skill: Skill,
    /// Its instructions.
    pub body: String,
    /// Its directory, for dialects that show one.
    pub location: Option<String>,
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its path inside the skill.
    pub path: SkillPath,
    /// Its size in bytes.
    pub size: u64,
}

/// All of a skill, or how much it would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Every file with its bytes, the skill's own file first, the others sorted by path.
    Whole(Vec<(SkillPath, Vec<u8>)>),
    /// More than the limit.
    TooLarge {
        /// The number of files.
        files: usize,
        /// How many bytes, at least.
        bytes: u64,
    },
}

/// Some bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they begin.
    pub offset: u64,
    /// How long the whole file is.
    pub size: u64,
}

impl FilePart {
    /// The bytes, if they are the whole file: one that grew or shrank meanwhile is neither its old nor its new self.
    fn whole(self, path: &str) -> Result<Vec<u8>, SourceError> {
        if self.bytes.len() as u64 == self.size {
            return Ok(self.bytes);
        }
        let message = format!("`{path}` changed during the read");
        Err(SourceError::Unavailable(message))
    }

    /// At most `limit` bytes of a whole file, from `offset` on.
    pub fn of(file: &[u8], offset: u64, limit: usize) -> Self {
        let start = usize::try_from(offset).map_or(file.len(), |offset| offset.min(file.len()));
        let end = start.saturating_add(limit).min(file.len());
        Self {
            bytes: file.get(start..end).unwrap_or_default().to_vec(),
            offset: start as u64,
            size: file.len() as u64,
        }
    }
}

/// Why a source did not answer. No variant holds an absolute path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The source does not have the skill.
    #[error("unknown skill `{0}`")]
    NotFound(SkillId),
    /// The skill needs what the host cannot do.
    #[error("`{id}` requires capabilities that this host does not provide: {}", missing.join(", "))]
    MissingCapabilities {
        /// The skill.
        id: SkillId,
        /// Everything that is missing.
        missing: Vec<String>,
    },
    /// The skill is there and cannot be used.
    #[error("cannot use `{id}`: {reason}")]
    Invalid {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
    },
    /// The skill does not have the file.
    #[error("`{id}` has no file `{path}`")]
    FileNotFound {
        /// The skill.
        id: SkillId,
        /// The file.
        path: SkillPath,
        /// Similar files.
        nearest: Vec<String>,
    },
    /// The path is a directory.
    #[error("`{path}` of `{id}` is a directory")]
    NotAFile {
        /// The skill.
        id: SkillId,
        /// The directory.
        path: SkillPath,
        /// Its entries.
        entries: Vec<String>,
    },
    /// The path leads out of the skill.
    #[error("`{path}` is outside `{id}`")]
    AccessDenied {
        /// The skill.
        id: SkillId,
        /// The path.
        path: SkillPath,
    },
    /// A project states the source, and the user has not accepted it yet.
    #[error("{0}")]
    Untrusted(String),
    /// The source cannot be reached or read.
    #[error("{0}")]
    Unavailable(String),
}

impl SourceError {
    /// The same error under the id that was asked for: a source knows its skills without labels.
    pub(crate) fn about(mut self, asked: &SkillId) -> Self {
        match &mut self {
            Self::NotFound(id)
            | Self::MissingCapabilities { id, .. }
            | Self::Invalid { id, .. }
            | Self::FileNotFound { id, .. }
            | Self::NotAFile { id, .. }
            | Self::AccessDenied { id, .. } => *id = asked.clone(),
            Self::Untrusted(_) | Self::Unavailable(_) => {}
        }
        self
    }
}
