//! Opens a store.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use prowess_config::Url;
use sqlx::any::{AnyPoolOptions, AnyRow};
use sqlx::{AnyConnection, AnyPool, Connection, Row};

use crate::broken::{Stamp, is_broken, set_aside};
use crate::error::StoreError;
use crate::file::prepare_file;
use crate::postgres;
use crate::schema::migrate;

/// Connections of one process.
const CONNECTIONS: u32 = 4;

/// How long a server may take to accept a connection: a request waits for it.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a process waits for others that make the same file; the same as the lock timeout of [`configure_connection`].
const WAIT: Duration = Duration::from_secs(5);

/// The database of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreBackend {
    /// A file; it and its directory are created if missing, readable by their owner only.
    File(PathBuf),
    /// A PostgreSQL server.
    Postgres(Url),
    /// Memory; lost when the process exits.
    Memory,
}

/// Persistent state. A clone is another handle to the same store.
#[derive(Clone, Debug)]
pub struct Store {
    pool: Arc<AnyPool>,
    is_shared: bool,
}

impl Store {
    /// Opens a store and migrates its tables.
    pub async fn open(backend: StoreBackend) -> Result<Self, StoreError> {
        prowess_net::run(open(backend)).await?
    }

    /// A store in memory, used when no other is available.
    pub async fn memory() -> Result<Self, StoreError> {
        Self::open(StoreBackend::Memory).await
    }

    /// Whether other machines can use the same store.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub(crate) async fn run<T, F>(
        &self,
        work: impl FnOnce(Arc<AnyPool>) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send,
    {
        let pool = Arc::clone(&self.pool);
        let done = prowess_net::run(async move { work(pool).await }).await?;
        done.map_err(|error| StoreError::of("use", &error))
    }
}

async fn open(backend: StoreBackend) -> Result<Store, StoreError> {
    sqlx::any::install_default_drivers();
    let (url, connections) = match &backend {
        StoreBackend::File(path) => {
            prepare_file(path)?;
            (file_url(path, "rwc")?, CONNECTIONS)
        }
        StoreBackend::Postgres(url) => (url.expose().to_owned(), CONNECTIONS),
        // Every connection would be a separate store.
        StoreBackend::Memory => ("sqlite::memory:".to_owned(), 1),
    };
    let mut options = AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECT);
    if connections == 1 {
        options = options
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None);
    }
    let stamp = match &backend {
        StoreBackend::File(path) => Stamp::of(path),
        StoreBackend::Postgres(_) | StoreBackend::Memory => None,
    };
    let failed = |error: sqlx::Error| refused(&backend, stamp, StoreError::of("open", &error));
    let mut schema = None;
    if backend != StoreBackend::Memory {
        // A single connection first: a pool would retry and then only report a timeout.
        let mut first = connect(&url).await.map_err(failed)?;
        schema = postgres::schema(&mut first).await.map_err(failed)?;
        configure_connection(&mut first, schema.as_deref())
            .await
            .map_err(failed)?;
        if let Err(error) = migrate(&mut first).await {
            let _ = first.close().await;
            return Err(refused(&backend, stamp, error));
        }
        let _ = first.close().await;
    }
    let pool = options
        .after_connect(move |connection, _| {
            let schema = schema.clone();
            Box::pin(async move { configure_connection(connection, schema.as_deref()).await })
        })
        .connect(&url)
        .await
        .map_err(failed)?;
    if backend == StoreBackend::Memory {
        let mut only = pool.acquire().await.map_err(failed)?;
        migrate(&mut only).await?;
    }
    Ok(Store {
        pool: Arc::new(pool),
        is_shared: matches!(backend, StoreBackend::Postgres(_)),
    })
}

/// A connection. A server that does not answer is an error after a while, not a program that hangs.
pub(crate) async fn connect(url: &str) -> Result<AnyConnection, sqlx::Error> {
    let connected = prowess_net::within(CONNECT, AnyConnection::connect(url)).await;
    connected.unwrap_or_else(|| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Sets the lock timeout, write-ahead logging for SQLite, and the schema for PostgreSQL.
async fn configure_connection(
    connection: &mut AnyConnection,
    schema: Option<&str>,
) -> Result<(), sqlx::Error> {
    if let Some(schema) = schema {
        let wait = sqlx::query("SET lock_timeout = '5s'");
        wait.execute(&mut *connection).await?;
        postgres::use_schema(connection, schema).await?;
    } else {
        let wait = sqlx::query("PRAGMA busy_timeout = 5000");
        wait.fetch_optional(&mut *connection).await?;
        write_ahead(connection).await?;
    }
    connection.ping().await
}

/// Lets readers and a writer of a file work concurrently. The setting is persistent; only the first time is a write.
async fn write_ahead(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let deadline = Instant::now() + WAIT;
    loop {
        let query = sqlx::query("PRAGMA journal_mode = WAL");
        match query.fetch_optional(&mut *connection).await {
            // SQLite does not wait for a concurrent change of this setting; it does wait for the write lock.
            Err(error) if is_locked(&error) && Instant::now() < deadline => {
                let turn = connection.begin_with("BEGIN IMMEDIATE").await?;
                turn.rollback().await?;
            }
            done => return done.map(|_| ()),
        }
    }
}

fn is_locked(error: &sqlx::Error) -> bool {
    matches!(StoreError::of("open", error), StoreError::Locked)
}

/// The URL of a file, opened with the given mode of SQLite.
pub(crate) fn file_url(path: &Path, mode: &str) -> Result<String, StoreError> {
    const IN_PATH: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b' ');
    let text = path.to_str().ok_or_else(|| StoreError::Database {
        action: "open",
        reason: "its path is not UTF-8".to_owned(),
    })?;
    Ok(format!(
        "sqlite://{}?mode={mode}",
        utf8_percent_encode(text, IN_PATH)
    ))
}

/// An error of opening, with what it means for a file.
fn refused(backend: &StoreBackend, stamp: Option<Stamp>, error: StoreError) -> StoreError {
    match (error, backend) {
        (StoreError::Database { reason, .. }, StoreBackend::File(path)) if is_broken(&reason) => {
            set_aside(path, stamp, reason)
        }
        (StoreError::Database { reason, .. }, StoreBackend::File(path))
            if reason.contains("readonly") =>
        {
            StoreError::ReadOnly { path: path.clone() }
        }
        (other, _) => other,
    }
}

/// A column as text.
pub(crate) fn text(row: &AnyRow, index: usize) -> Result<String, sqlx::Error> {
    row.try_get(index)
}
