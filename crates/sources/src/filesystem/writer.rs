//! A directory of skills that can be changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use prowess_core::{SkillId, SkillWriter, WriteError};
use prowess_spec::SkillPath;

use super::write::{self, SourceRoot};
use super::{FilesystemSource, Inner};
use crate::background;

impl FilesystemSource {
    /// Runs `work` with the root and the directory of a skill below it.
    async fn change(
        &self,
        id: &SkillId,
        work: impl FnOnce(SourceRoot<'_>, &Path) -> Result<(), WriteError> + Send + 'static,
    ) -> Result<(), WriteError> {
        let inner = Arc::clone(&self.inner);
        let id = id.clone();
        let done = background::run(move || {
            let scan = inner.last().unwrap_or_else(|| inner.scan());
            let directory = scan.directory(&id).map(PathBuf::from);
            let directory = directory.ok_or(WriteError::Changed)?;
            work(inner.writable_root(), &directory)
        });
        done.await
            .unwrap_or_else(|error| Err(WriteError::Failed(error.to_string())))
    }
}

impl Inner {
    fn writable_root(&self) -> SourceRoot<'_> {
        SourceRoot {
            path: &self.root,
            links: &self.options.links,
        }
    }
}

#[async_trait]
impl SkillWriter for FilesystemSource {
    async fn create(
        &self,
        id: &SkillId,
        files: Vec<(SkillPath, Vec<u8>)>,
    ) -> Result<(), WriteError> {
        if id.label().is_some() {
            let message = format!("`{id}` has the label of a server");
            return Err(WriteError::NotWritable(message));
        }
        let inner = Arc::clone(&self.inner);
        let relative = PathBuf::from(id.as_str());
        let done = background::run(move || write::create(inner.writable_root(), &relative, &files));
        done.await
            .unwrap_or_else(|error| Err(WriteError::Failed(error.to_string())))
    }

    async fn write(
        &self,
        id: &SkillId,
        path: &SkillPath,
        before: Option<Vec<u8>>,
        bytes: Option<Vec<u8>>,
    ) -> Result<(), WriteError> {
        let path = path.clone();
        self.change(id, move |root, directory| {
            write::write(root, directory, &path, before.as_deref(), bytes.as_deref())
        })
        .await
    }

    async fn remove(
        &self,
        id: &SkillId,
        path: &SkillPath,
        before: Vec<u8>,
        files: Vec<(SkillPath, u64)>,
    ) -> Result<(), WriteError> {
        let path = path.clone();
        self.change(id, move |root, directory| {
            write::remove(root, directory, &path, &before, &files)
        })
        .await
    }

    async fn recover(&self) -> Result<usize, WriteError> {
        let inner = Arc::clone(&self.inner);
        // A directory that does not exist has nothing to be put back.
        let done = background::run(move || {
            if inner.root.is_dir() {
                write::recover(inner.writable_root())
            } else {
                Ok(0)
            }
        });
        done.await
            .unwrap_or_else(|error| Err(WriteError::Failed(error.to_string())))
    }
}
