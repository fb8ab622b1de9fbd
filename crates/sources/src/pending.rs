//! Sources of a project that wait for the user's answer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, Origin, SkillId, Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;
use prowess_trust::ReachList;

/// Has no skills until the user trusts the project; then it is the source that it stands for.
pub(crate) struct PendingSource {
    reason: SourceError,
    source: OnceLock<Arc<dyn Source>>,
}

impl PendingSource {
    pub(crate) fn new(reach: &ReachList) -> Self {
        let reach: Vec<String> = reach.iter().map(ToString::to_string).collect();
        let reason = format!("not trusted yet: it {}", reach.join(", "));
        Self {
            reason: SourceError::Untrusted(reason),
            source: OnceLock::new(),
        }
    }

    /// The source, if it is open; otherwise it has no skills and so never shadows another source.
    fn opened(&self, id: &SkillId) -> Result<&dyn Source, SourceError> {
        let source = self.source.get().map(AsRef::as_ref);
        source.ok_or_else(|| SourceError::NotFound(id.clone()))
    }
}

#[async_trait]
impl Source for PendingSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        match self.source.get() {
            Some(source) => source.snapshot().await,
            None => Err(self.reason.clone()),
        }
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.opened(id)?.load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.opened(id)?.files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        self.opened(id)?.read(id, path, offset, limit).await
    }

    fn location(&self, id: &SkillId) -> Option<String> {
        self.source.get()?.location(id)
    }

    fn freshness(&self) -> Freshness {
        let source = self.source.get();
        source.map(Source::freshness).unwrap_or_default()
    }

    fn origin(&self) -> Origin {
        let source = self.source.get();
        source.map(Source::origin).unwrap_or_default()
    }

    fn directories(&self) -> Vec<PathBuf> {
        let source = self.source.get();
        source.map(Source::directories).unwrap_or_default()
    }
}

/// The sources that wait, for a program that continues after the user's answer. Clones share them.
#[derive(Clone, Default)]
pub struct PendingSources(Arc<Mutex<Vec<Pending>>>);

/// The name of a repository, and its source.
type Pending = (String, Arc<PendingSource>);

impl PendingSources {
    pub(crate) fn add(&self, repository: &str, source: Arc<PendingSource>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((repository.to_owned(), source));
    }

    /// Opens those for which `open` has a source by now.
    pub(crate) fn open(&self, open: impl Fn(&str) -> Option<Arc<dyn Source>>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(repository, pending)| match open(repository) {
            Some(source) => pending.source.set(source).is_err(),
            None => true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Server;

    #[async_trait]
    impl Source for Server {
        async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
            Ok(Arc::default())
        }

        async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
            Err(SourceError::NotFound(id.clone()))
        }

        async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
            Err(SourceError::NotFound(id.clone()))
        }

        async fn read(
            &self,
            id: &SkillId,
            _: &SkillPath,
            _: u64,
            _: usize,
        ) -> Result<FilePart, SourceError> {
            Err(SourceError::NotFound(id.clone()))
        }

        fn origin(&self) -> Origin {
            Origin::Server
        }
    }

    #[test]
    fn q53_a_server_of_a_project_is_one_once_it_is_trusted() {
        let source = Arc::new(PendingSource {
            reason: SourceError::Untrusted("not trusted yet".to_owned()),
            source: OnceLock::new(),
        });
        let pending = PendingSources::default();
        pending.add("company", Arc::clone(&source));
        assert_eq!(source.origin(), Origin::Chosen);
        pending.open(|_| Some(Arc::new(Server)));
        assert_eq!(source.origin(), Origin::Server);
    }
}
