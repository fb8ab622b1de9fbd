//! Skills from a query over a database.
//!
//! The query returns a row for each skill: `id` (or `name`), `description`, and `content` (text) or `data` (an
//! archive). Every other column becomes metadata. Values are bound to the query, never written into it.
//!
//! A query only reads, also one that a stranger wrote: a project's file may hold one. `SQLite` has an authorizer (`sqlite.rs`),
//! servers a read-only transaction around one `SELECT` (`server.rs`).
//!
//! | limit | what |
//! |---|---|
//! | 20,000 | rows |
//! | 16 MiB | one value |
//! | 256 MiB | all values together, archives unpacked |
//! | 60 s | connecting and reading |
//! | 48 MiB | memory of `SQLite`, in the whole process |

#[cfg(feature = "mysql")]
mod mysql;
mod rows;
mod server;
mod sqlite;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use prowess_config::{Database, Sql};
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, MemorySource, SkillId, Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;

use crate::refreshing::{Lifetime, Refreshing};
use crate::remote::{Network, ProgressReport, RemoteOptions, begin};
use crate::task;

/// Time for connecting and reading.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A source over a query. Nothing is queried before first use.
pub struct SqlSource {
    inner: Arc<Inner>,
}

struct Inner {
    options: Sql,
    network: Network,
    progress: Option<ProgressReport>,
    current: Refreshing<MemorySource>,
}

impl SqlSource {
    /// The skills that a query returns. The result is not stored on disk: it can be private.
    pub fn new(options: Sql, remote: &RemoteOptions) -> Self {
        Self {
            inner: Arc::new(Inner {
                current: Refreshing::new(Lifetime::Backoff(options.refresh)),
                options,
                network: remote.network,
                progress: remote.progress.clone(),
            }),
        }
    }
}

impl Inner {
    async fn skills(self: &Arc<Self>) -> Result<Arc<MemorySource>, SourceError> {
        let inner = Arc::clone(self);
        let fetch = |_| {
            task::run(async move {
                match tokio::time::timeout(TIMEOUT, inner.query()).await {
                    Ok(answer) => answer.map(Arc::new),
                    Err(_) => Err(unavailable("the database timed out after 60 s")),
                }
            })
        };
        self.current.get(fetch).await
    }

    async fn query(&self) -> Result<MemorySource, SourceError> {
        let local = matches!(self.options.url, Database::Sqlite(_));
        if self.network == Network::Offline && !local {
            return Err(unavailable("offline"));
        }
        begin(self.progress.as_ref(), "querying the database");
        let options = self.options.clone();
        match options.url.clone() {
            Database::Sqlite(path) => sqlite::read(path, options).await,
            Database::Postgres(url) => {
                server::read_postgres(url.expose().to_owned(), options).await
            }
            #[cfg(feature = "mysql")]
            Database::MySql(url) => mysql::read(url.expose().to_owned(), options).await,
            #[cfg(not(feature = "mysql"))]
            Database::MySql(_) => Err(unavailable(
                "this build has no MySQL client; hint: build with the feature `mysql`",
            )),
        }
    }
}

fn unavailable(message: impl Into<String>) -> SourceError {
    SourceError::Unavailable(message.into())
}

#[async_trait]
impl Source for SqlSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        self.inner.skills().await?.snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.inner.skills().await?.load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.inner.skills().await?.files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let skills = self.inner.skills().await?;
        skills.read(id, path, offset, limit).await
    }

    fn freshness(&self) -> Freshness {
        self.inner.current.freshness()
    }
}
