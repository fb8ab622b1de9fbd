//! Skills from a query over a database.
//!
//! The query returns a row for each skill: `id` (or `name`), `description`, and `content` (text) or `data` (an
//! archive). Every other column becomes metadata. Values are bound to the query, never written into it.
//!
//! | limit | what |
//! |---|---|
//! | 20,000 | rows |
//! | 256 MiB | contents and archives together |
//! | 60 s | connecting and reading |

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::TryStreamExt;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use prowess_config::{Database, Param, Sql};
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, MemorySource, Scope, SkillId, Snapshot, Source,
    SourceError,
};
use prowess_spec::SkillPath;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Column, Connection, Row, ValueRef};

use crate::records::{SkillRecord, add_record};
use crate::refreshing::{Lifetime, Refreshing};
use crate::remote::{Network, ProgressReport, RemoteOptions, begin};
use crate::runtime;

/// Rows of an answer.
const ROWS: usize = 20_000;
/// Bytes of all contents and archives.
const BYTES: usize = 256 * 1024 * 1024;
/// Time for connecting and reading.
const PATIENCE: Duration = Duration::from_mins(1);

/// A source over a query. Nothing is asked before somebody wants to know.
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
    /// The skills that a query returns. What it returns is not kept on disk: it may be somebody's own.
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
            runtime::run(async move {
                match tokio::time::timeout(PATIENCE, inner.query()).await {
                    Ok(answer) => answer,
                    Err(_) => Err(unavailable("the database took longer than 60 s")),
                }
            })
        };
        self.current.get(fetch).await
    }

    async fn query(&self) -> Result<Arc<MemorySource>, SourceError> {
        let local = matches!(self.options.url, Database::Sqlite(_));
        if self.network == Network::Offline && !local {
            return Err(unavailable("offline"));
        }
        begin(self.progress.as_ref(), "asking the database");
        sqlx::any::install_default_drivers();
        let url = self.url()?;
        let mut connection = AnyConnection::connect(&url)
            .await
            .map_err(|error| failed("reach the database", &error))?;
        let read = self.read(&mut connection).await;
        let _ = connection.close().await;
        read.map(Arc::new)
    }

    async fn read(&self, connection: &mut AnyConnection) -> Result<MemorySource, SourceError> {
        let mut query = sqlx::query(AssertSqlSafe(self.options.query.as_str()));
        for param in &self.options.params {
            query = match param {
                Param::Text(text) => query.bind(text.expose()),
                Param::Integer(number) => query.bind(*number),
                Param::Float(number) => query.bind(*number),
                Param::Boolean(truth) => query.bind(*truth),
            };
        }
        let mut rows = query.fetch(connection);
        let mut source = MemorySource::new(Scope::Remote);
        let (mut count, mut bytes) = (0, 0);
        while let Some(row) = rows
            .try_next()
            .await
            .map_err(|error| failed("read from the database", &error))?
        {
            count += 1;
            if count > ROWS {
                return Err(unavailable(&format!(
                    "the query returns more than {ROWS} rows"
                )));
            }
            let record = record(&row)?;
            bytes += record.content.as_ref().map_or(0, String::len);
            bytes += record.data.as_ref().map_or(0, Vec::len);
            if bytes > BYTES {
                return Err(unavailable("the query returns more than 256 MiB"));
            }
            add_record(&mut source, record);
        }
        Ok(source)
    }

    fn url(&self) -> Result<String, SourceError> {
        const IN_PATH: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b' ');
        match &self.options.url {
            Database::Sqlite(path) => {
                let path = path
                    .to_str()
                    .ok_or_else(|| unavailable("the path of the database is not UTF-8"))?;
                let path = utf8_percent_encode(path, IN_PATH);
                Ok(format!("sqlite://{path}?mode=ro"))
            }
            Database::Postgres(url) | Database::MySql(url) => Ok(url.expose().to_owned()),
        }
    }
}

/// The record that a row holds.
fn record(row: &AnyRow) -> Result<SkillRecord, SourceError> {
    let mut record = SkillRecord::default();
    let mut name = None;
    for (index, column) in row.columns().iter().enumerate() {
        if column.name().eq_ignore_ascii_case("data") {
            record.data = row
                .try_get(index)
                .map_err(|error| failed("read column `data`", &error))?;
            continue;
        }
        let value = text(row, index)
            .map_err(|error| failed(&format!("read column `{}`", column.name()), &error))?;
        match column.name().to_ascii_lowercase().as_str() {
            "id" => record.id = value.unwrap_or_default(),
            "name" => name = value,
            "description" => record.description = value.unwrap_or_default(),
            "content" => record.content = value,
            other => {
                let key = other.to_owned();
                record.metadata.extend(value.map(|value| (key, value)));
            }
        }
    }
    if record.id.is_empty() {
        record.id = name.unwrap_or_default();
    }
    Ok(record)
}

/// A value as text, whatever its type.
fn text(row: &AnyRow, index: usize) -> Result<Option<String>, sqlx::Error> {
    use sqlx::any::AnyTypeInfoKind as Kind;
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(None);
    }
    let kind = raw.type_info().kind();
    Ok(Some(match kind {
        Kind::Null => return Ok(None),
        Kind::Bool => row.try_get::<bool, _>(index)?.to_string(),
        Kind::SmallInt => row.try_get::<i16, _>(index)?.to_string(),
        Kind::Integer => row.try_get::<i32, _>(index)?.to_string(),
        Kind::BigInt => row.try_get::<i64, _>(index)?.to_string(),
        Kind::Real => row.try_get::<f32, _>(index)?.to_string(),
        Kind::Double => row.try_get::<f64, _>(index)?.to_string(),
        Kind::Text => row.try_get::<String, _>(index)?,
        Kind::Blob => {
            let bytes = row.try_get::<Vec<u8>, _>(index)?;
            String::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.into()))?
        }
    }))
}

/// An error as people may see it: the URL, which may hold a password, is in none of them.
fn failed(action: &str, error: &sqlx::Error) -> SourceError {
    let text = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    if text.contains("does not support the") {
        let message = format!("cannot {action}: {text}; cast the column to text in the query");
        return unavailable(&message);
    }
    unavailable(&format!("cannot {action}: {text}"))
}

fn unavailable(message: &str) -> SourceError {
    SourceError::Unavailable(message.to_owned())
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
