//! Opens a store.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_config::Url;
use sqlx::any::{Any, AnyPoolOptions, AnyRow};
use sqlx::pool::PoolConnection;
use sqlx::{AnyConnection, AnyPool, Connection, Row};

use crate::connection::{CONNECT, connect, file_url};
use crate::error::StoreError;
use crate::exclusive::beside;
use crate::file::prepare_file;
use crate::file_check::check_file;
use crate::opened_file::OpenedFile;
use crate::postgres;
use crate::schema::{SCHEMA_VERSION, migrate, version};

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
    kind: StoreKind,
}

/// Where a store is, which decides what else can change it.
#[derive(Clone, Debug)]
enum StoreKind {
    File(Arc<OpenedFile>),
    Shared,
    Memory,
}

impl Store {
    /// Opens a store and migrates its tables. A file that cannot be used is an error and stays as it is.
    pub async fn open(backend: StoreBackend) -> Result<Self, StoreError> {
        prowess_net::run(open(backend, Start::Trusting)).await?
    }

    /// The same for a process that answers others: the whole file is checked before anything of it is used, together with the
    /// write-ahead log that another process may have left. That takes 0.2 s for 400 MB.
    pub async fn open_checked(backend: StoreBackend) -> Result<Self, StoreError> {
        prowess_net::run(open(backend, Start::Checking)).await?
    }

    /// Opens a store for a command that only reads. Unlike [`Store::open`] it works on a disk that is full or read-only.
    pub async fn open_to_read(backend: StoreBackend) -> Result<Self, StoreError> {
        prowess_net::run(open_to_read(backend)).await?
    }

    /// A store in memory, for work whose results are not needed later.
    pub async fn memory() -> Result<Self, StoreError> {
        Self::open(StoreBackend::Memory).await
    }

    /// Whether other machines can use the same store.
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, StoreKind::Shared)
    }

    /// Whether what is written is lost when the process ends.
    pub fn is_memory(&self) -> bool {
        matches!(self.kind, StoreKind::Memory)
    }

    /// Closes every connection. The last one to a file moves the write-ahead log into it.
    pub(crate) async fn close(self) {
        self.pool.close().await;
    }

    /// Whether the store answers, and whether its file is still the one at its path.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.run(|pool| async move {
            let query = sqlx::query("SELECT version FROM prowess_store");
            query.fetch_one(&*pool).await.map(|_| ())
        })
        .await
    }

    pub(crate) async fn run<T, F>(
        &self,
        work: impl FnOnce(Arc<AnyPool>) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, sqlx::Error>> + Send,
    {
        self.check_file()?;
        let pool = Arc::clone(&self.pool);
        let done = prowess_net::run(async move { work(pool).await }).await?;
        let done = done.map_err(|error| {
            let error = StoreError::of("use", &error);
            match &self.kind {
                StoreKind::File(file) => error.at(file.path()),
                StoreKind::Shared | StoreKind::Memory => error,
            }
        })?;
        // What was committed to a file that no path leads to is lost: it must not be acknowledged.
        self.check_file()?;
        Ok(done)
    }

    fn check_file(&self) -> Result<(), StoreError> {
        match &self.kind {
            StoreKind::File(file) => file.check(),
            StoreKind::Shared | StoreKind::Memory => Ok(()),
        }
    }
}

/// How much is checked before a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Trusting,
    Checking,
}

async fn open(backend: StoreBackend, start: Start) -> Result<Store, StoreError> {
    sqlx::any::install_default_drivers();
    match &backend {
        StoreBackend::File(path) => {
            prepare_file(path)?;
            if start == Start::Checking {
                check_file(path).await?;
            }
            let url = file_url(path, "mode=rwc")?;
            let opened = connect_all(&url, StoreKind::File(Arc::new(OpenedFile::at(path)))).await;
            opened.map_err(|error| error.at(path))
        }
        StoreBackend::Postgres(url) => connect_all(url.expose(), StoreKind::Shared).await,
        StoreBackend::Memory => {
            // Every connection would be a separate store.
            let pool = lasting(AnyPoolOptions::new().max_connections(1));
            let pool = pool.connect("sqlite::memory:").await;
            let pool = pool.map_err(|error| StoreError::of("open", &error))?;
            let mut only = acquired(&pool).await?;
            migrate(&mut only).await?;
            drop(only);
            Ok(Store {
                pool: Arc::new(pool),
                kind: StoreKind::Memory,
            })
        }
    }
}

/// Connections to a database whose tables are migrated first.
async fn connect_all(url: &str, kind: StoreKind) -> Result<Store, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of("open", &error);
    // A single connection first: a pool would retry and then only report a timeout.
    let mut first = connect(url).await.map_err(failed)?;
    let schema = postgres::schema(&mut first).await.map_err(failed)?;
    configure_connection(&mut first, schema.as_deref())
        .await
        .map_err(failed)?;
    let migrated = migrate(&mut first).await;
    let mut options = AnyPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(CONNECT);
    let file = match &kind {
        StoreKind::File(file) => Some(Arc::clone(file)),
        StoreKind::Shared | StoreKind::Memory => None,
    };
    if file.is_some() {
        options = lasting(options);
    }
    let same = file.clone();
    let pool = match migrated {
        Ok(()) => {
            let options = options.after_connect(move |connection, _| {
                let (schema, file) = (schema.clone(), file.clone());
                Box::pin(async move {
                    configure_connection(connection, schema.as_deref()).await?;
                    match file.map(|file| file.check()) {
                        Some(Err(error)) => Err(sqlx::Error::Configuration(error.into())),
                        Some(Ok(())) | None => Ok(()),
                    }
                })
            });
            options.connect(url).await.map_err(failed)
        }
        Err(error) => Err(error),
    };
    // Only now: the last connection that is closed removes the write-ahead log.
    let _ = first.close().await;
    if let Some(file) = same {
        file.check()?;
    }
    Ok(Store {
        pool: Arc::new(pool?),
        kind,
    })
}

/// Connections that stay open: a store in memory is one of them, and a file must not become another one.
fn lasting(options: AnyPoolOptions) -> AnyPoolOptions {
    options
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
}

async fn acquired(pool: &AnyPool) -> Result<PoolConnection<Any>, StoreError> {
    let connection = pool.acquire().await;
    connection.map_err(|error| StoreError::of("open", &error))
}

/// Opens a file as [`open`] does, or, where SQLite cannot write what it needs for that, in a way that needs no write.
async fn open_to_read(backend: StoreBackend) -> Result<Store, StoreError> {
    let refused = match open(backend.clone(), Start::Trusting).await {
        Err(
            error @ (StoreError::Full | StoreError::ReadOnly { .. } | StoreError::Database { .. }),
        ) => error,
        opened => return opened,
    };
    let StoreBackend::File(path) = &backend else {
        return Err(refused);
    };
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    // Without a log, the file is all there is. With one, its index is in memory if no other process may use the file.
    let (parameters, locking) = if has_log {
        ("mode=rw", "PRAGMA locking_mode = EXCLUSIVE")
    } else {
        ("mode=ro&immutable=1", "PRAGMA query_only = 1")
    };
    let file = OpenedFile::at(path);
    let options =
        lasting(AnyPoolOptions::new().max_connections(1)).after_connect(move |connection, _| {
            Box::pin(async move {
                let query = sqlx::query(locking);
                query.fetch_optional(connection).await.map(|_| ())
            })
        });
    let pool = options.connect(&file_url(path, parameters)?).await;
    let pool = pool.map_err(|error| StoreError::of("open", &error).at(path))?;
    let mut only = acquired(&pool).await?;
    // Tables of another version cannot be migrated here.
    let found = version(&mut only).await.map_err(|error| error.at(path))?;
    drop(only);
    if found != SCHEMA_VERSION {
        return Err(refused);
    }
    Ok(Store {
        pool: Arc::new(pool),
        kind: StoreKind::File(Arc::new(file)),
    })
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

/// A column as text.
pub(crate) fn text(row: &AnyRow, index: usize) -> Result<String, sqlx::Error> {
    row.try_get(index)
}
