//! Opens a store.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use prowess_config::Url;
use sqlx::any::{AnyPoolOptions, AnyRow};
use sqlx::{AnyConnection, AnyPool, Connection, Row};

use crate::error::StoreError;
use crate::file::prepare_file;
use crate::schema::migrate;

/// Connections of one process.
const CONNECTIONS: u32 = 4;

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
            (file_url(path)?, CONNECTIONS)
        }
        StoreBackend::Postgres(url) => (url.expose().to_owned(), CONNECTIONS),
        // Every connection would be a separate store.
        StoreBackend::Memory => ("sqlite::memory:".to_owned(), 1),
    };
    let mut options = AnyPoolOptions::new().max_connections(connections);
    if connections == 1 {
        options = options
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None);
    }
    let failed = |error: sqlx::Error| refused(&backend, "open", &error);
    if backend != StoreBackend::Memory {
        // A single connection first: a pool would retry and then only report a timeout.
        let mut first = AnyConnection::connect(&url).await.map_err(failed)?;
        configure_connection(&mut first).await.map_err(failed)?;
        prepare_tables(&mut first, &backend).await?;
        let _ = first.close().await;
    }
    let pool = options
        .after_connect(|connection, _| Box::pin(configure_connection(connection)))
        .connect(&url)
        .await
        .map_err(failed)?;
    if backend == StoreBackend::Memory {
        let mut only = pool.acquire().await.map_err(failed)?;
        prepare_tables(&mut only, &backend).await?;
    }
    Ok(Store {
        pool: Arc::new(pool),
    })
}

async fn prepare_tables(
    connection: &mut AnyConnection,
    backend: &StoreBackend,
) -> Result<(), StoreError> {
    match migrate(connection).await {
        Err(StoreError::Database { reason, .. }) if is_broken(&reason) => {
            Err(broken(backend, reason))
        }
        done => done,
    }
}

/// Sets the lock timeout, and write-ahead logging for SQLite.
async fn configure_connection(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let is_sqlite = connection.backend_name() == "SQLite";
    let wait = if is_sqlite {
        "PRAGMA busy_timeout = 5000"
    } else {
        "SET lock_timeout = '5s'"
    };
    sqlx::query(wait).fetch_optional(&mut *connection).await?;
    if is_sqlite {
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

fn file_url(path: &Path) -> Result<String, StoreError> {
    const IN_PATH: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b' ');
    let text = path.to_str().ok_or_else(|| StoreError::Database {
        action: "open",
        reason: "its path is not UTF-8".to_owned(),
    })?;
    Ok(format!(
        "sqlite://{}?mode=rwc",
        utf8_percent_encode(text, IN_PATH)
    ))
}

fn is_broken(reason: &str) -> bool {
    reason.contains("not a database")
        || reason.contains("malformed")
        || reason.contains("disk image")
}

fn refused(backend: &StoreBackend, action: &'static str, error: &sqlx::Error) -> StoreError {
    match StoreError::of(action, error) {
        StoreError::Database { reason, .. } if is_broken(&reason) => broken(backend, reason),
        StoreError::Database { reason, .. } if reason.contains("readonly") => match backend {
            StoreBackend::File(path) => StoreError::ReadOnly { path: path.clone() },
            _ => StoreError::Database { action, reason },
        },
        other => other,
    }
}

/// Keeps a copy of a file that cannot be used, under a name that nothing has yet.
fn broken(backend: &StoreBackend, reason: String) -> StoreError {
    let StoreBackend::File(path) = backend else {
        return StoreError::Database {
            action: "open",
            reason,
        };
    };
    let named = |number: u32| path.with_extension(format!("broken-{number}"));
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    let copy = named(number);
    match fs::copy(path, &copy) {
        Ok(_) => StoreError::Broken {
            path: path.clone(),
            copy,
            reason,
        },
        Err(error) => StoreError::Database {
            action: "copy",
            reason: error.to_string(),
        },
    }
}

/// A column as text.
pub(crate) fn text(row: &AnyRow, index: usize) -> Result<String, sqlx::Error> {
    row.try_get(index)
}
