//! Changes of skills, for sources that can be written.

use async_trait::async_trait;
use prowess_spec::SkillPath;

use crate::id::SkillId;

/// Writes skills. What others wrote meanwhile is never replaced: a change names the content that it is based on.
#[async_trait]
pub trait SkillWriter: Send + Sync {
    /// Creates a skill with these files. It appears whole or not at all.
    async fn create(
        &self,
        id: &SkillId,
        files: Vec<(SkillPath, Vec<u8>)>,
    ) -> Result<(), WriteError>;

    /// Replaces a file of a skill, or removes it if `bytes` is `None`. `before` is its expected content; `None` if
    /// there should be no such file.
    async fn write(
        &self,
        id: &SkillId,
        path: &SkillPath,
        before: Option<Vec<u8>>,
        bytes: Option<Vec<u8>>,
    ) -> Result<(), WriteError>;

    /// Removes a skill whose file `path` has this content and which has these other files, with
    /// their sizes.
    async fn remove(
        &self,
        id: &SkillId,
        path: &SkillPath,
        before: Vec<u8>,
        files: Vec<(SkillPath, u64)>,
    ) -> Result<(), WriteError>;

    /// Finishes what a killed process left: a skill that it was about to remove is where it was. Returns how many are back.
    async fn recover(&self) -> Result<usize, WriteError> {
        Ok(0)
    }
}

/// Why a skill was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The content is not the expected one.
    #[error("it was changed by someone else")]
    Changed,
    /// There is something with this name.
    #[error("`{0}` exists")]
    Exists(String),
    /// It must not or cannot be written.
    #[error("{0}")]
    NotWritable(String),
    /// Another process changes skills of the directory for too long.
    #[error("another process changes skills there")]
    Busy,
    /// The system failed.
    #[error("{0}")]
    Failed(String),
}
