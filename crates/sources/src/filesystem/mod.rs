//! Skills in a directory.

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod exchanged;
#[cfg(target_os = "linux")]
mod fast;
mod files;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod removed;
#[cfg(target_os = "linux")]
mod saved;
#[cfg(target_os = "linux")]
mod saved_codec;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod saved_tests;
mod scan;
mod walk;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod write;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use prowess_core::{
    Contents, Document, FileEntry, FilePart, Scope, SkillId, Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;

use crate::background;
use crate::collection::Root;
#[cfg(target_os = "linux")]
use saved::{SavedScan, SavedState};
use scan::Scan;

/// Skills at any depth below a root directory.
///
/// A directory with a `SKILL.md` is a skill, and nothing below it is another one. Directories above skills
/// are collections, described by their `COLLECTION.md`. Hidden directories and `node_modules` are skipped.
/// Links that sit directly in the root are followed as [`Links`] says; links that leave a skill are refused.
pub struct FilesystemSource {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    options: FilesystemOptions,
    last: Mutex<Option<Arc<Scan>>>,
    /// Where the first scan is saved for the next process.
    #[cfg(target_os = "linux")]
    cache: Option<PathBuf>,
    /// Scans of fewer skills are not saved.
    #[cfg(target_os = "linux")]
    smallest: usize,
    /// The time of a file may be so much earlier than its last change.
    grain: Duration,
}

/// Times of files are at least as exact as this on every file system that is in use.
const GRAIN: Duration = Duration::from_secs(2);

/// How a directory is searched.
#[derive(Clone, Debug)]
pub struct FilesystemOptions {
    /// Whose skills they are.
    pub scope: Scope,
    /// Which skills are taken.
    pub strictness: Strictness,
    /// What the root is.
    pub root: Root,
    /// Which links that sit directly in the root are followed.
    pub links: Links,
    /// Whether the root is expected to come later, and its absence is not worth a warning.
    pub awaited: bool,
    /// Directories below the root that are followed.
    pub max_depth: usize,
    /// Directories that are looked at.
    pub max_entries: usize,
}

/// Which skills are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Whatever can be read.
    #[default]
    Tolerant,
    /// Only what `check` calls valid.
    Strict,
}

/// Where a root, and the links that sit directly in it, may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Links {
    /// Anywhere: the user made them.
    #[default]
    Anywhere,
    /// Below one of these directories: they came with a project or from a server, which may not reveal other files.
    Below(Arc<[PathBuf]>),
}

impl FilesystemOptions {
    /// The usual bounds, for skills of this scope.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            strictness: Strictness::default(),
            root: Root::default(),
            links: Links::default(),
            awaited: false,
            max_depth: 64,
            max_entries: 1_000_000,
        }
    }
}

impl FilesystemSource {
    /// The skills below `root`. Nothing is touched yet.
    pub fn new(root: impl Into<PathBuf>, options: FilesystemOptions) -> Self {
        Self {
            inner: Arc::new(Inner {
                root: root.into(),
                options,
                last: Mutex::default(),
                #[cfg(target_os = "linux")]
                cache: None,
                #[cfg(target_os = "linux")]
                smallest: saved::SMALLEST,
                grain: GRAIN,
            }),
        }
    }

    /// Saves what was found in a file of `directory`, so that another process only looks at what changed since: a large
    /// catalog is found several times as fast. The directory must be the user's own: a program that can write
    /// there decides which descriptions are shown.
    ///
    /// Only on Linux, only for a thousand skills or more, and only if they are on a local file system.
    #[must_use]
    #[cfg_attr(
        not(target_os = "linux"),
        expect(unused_mut, unused_variables, reason = "nothing is saved")
    )]
    pub fn cached_in(mut self, directory: Option<PathBuf>) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.cache = directory;
        }
        self
    }

    /// The directory that is searched.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    async fn with_skill<T: Send + 'static>(
        &self,
        id: &SkillId,
        work: impl FnOnce(&SkillId, &Path) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<T, SourceError> {
        let inner = Arc::clone(&self.inner);
        let id = id.clone();
        background::run(move || {
            let scan = inner.last().unwrap_or_else(|| inner.scan());
            let directory = scan.directory(&id);
            let directory = directory.ok_or_else(|| SourceError::NotFound(id.clone()))?;
            work(&id, &inner.root.join(directory))
        })
        .await?
    }
}

impl Inner {
    fn last(&self) -> Option<Arc<Scan>> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Looks at the directory again; where nothing changed, the last answer is the answer.
    fn scan(&self) -> Arc<Scan> {
        let scan = match self.last() {
            Some(last) => scan::scan(&self.root, &self.options, Some(last), self.grain),
            None => self.first_scan(),
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&scan));
        scan
    }
}

#[cfg(target_os = "linux")]
impl Inner {
    /// Looks at the directory with what an earlier process has found.
    fn first_scan(&self) -> Arc<Scan> {
        let cache = self.cache.as_ref();
        let saved = cache.and_then(|it| SavedScan::new(it, &self.root, &self.options));
        let before = saved.as_ref().and_then(|saved| saved.load(&self.options));
        let state = before.as_ref().map(|before| SavedState::of(&before.scan));
        let scan =
            before.and_then(|it| scan::scan_restored(&self.root, &self.options, it, self.grain));
        // A file that turned out to be damaged is written again.
        let state = state.filter(|_| scan.is_some());
        let scan = scan.unwrap_or_else(|| scan::scan(&self.root, &self.options, None, self.grain));
        if let Some(saved) = saved {
            saved.save(&self.root, &scan, state.as_ref(), self.smallest);
        }
        scan
    }
}

#[cfg(not(target_os = "linux"))]
impl Inner {
    fn first_scan(&self) -> Arc<Scan> {
        scan::scan(&self.root, &self.options, None, self.grain)
    }
}

#[async_trait]
impl Source for FilesystemSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let inner = Arc::clone(&self.inner);
        let scan = background::run(move || inner.scan()).await?;
        Ok(Arc::clone(scan.snapshot()))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.with_skill(id, files::load).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.with_skill(id, files::list).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let path = path.clone();
        self.with_skill(id, move |id, directory| {
            files::read(id, directory, &path, offset, limit)
        })
        .await
    }

    async fn contents(
        &self,
        id: &SkillId,
        max_files: usize,
        max_bytes: u64,
    ) -> Result<Contents, SourceError> {
        self.with_skill(id, move |id, directory| {
            files::contents(id, directory, max_files, max_bytes)
        })
        .await
    }

    fn location(&self, id: &SkillId) -> Option<String> {
        let scan = self.inner.last()?;
        let directory = scan.directory(id)?;
        Some(self.inner.root.join(directory).display().to_string())
    }

    fn directories(&self) -> Vec<PathBuf> {
        vec![self.inner.root.clone()]
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn writer(&self) -> Option<&dyn prowess_core::SkillWriter> {
        Some(self)
    }
}
