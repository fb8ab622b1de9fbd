//! Looks at a store without changing it: nothing is created, migrated or renamed.

use std::path::Path;

use sqlx::{AnyConnection, Connection, Row};

use crate::connection::{connect, file_url};
use crate::error::StoreError;
use crate::file_check::check_file;
use crate::open::StoreBackend;
use crate::postgres;
use crate::schema::{SCHEMA_VERSION, version};

/// What a store would be if it were opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreState {
    /// There is none yet; the first command that saves something creates it.
    Missing,
    /// It can be read and written; the version of its tables, and whether it is the newest.
    Ready {
        /// The version of its tables; an older one is migrated when it is opened.
        version: i64,
    },
}

/// Opens a store, reads its version and begins to write, without changing anything.
pub async fn inspect(backend: StoreBackend) -> Result<StoreState, StoreError> {
    prowess_net::run(look(backend)).await?
}

async fn look(backend: StoreBackend) -> Result<StoreState, StoreError> {
    sqlx::any::install_default_drivers();
    let url = match &backend {
        StoreBackend::Memory => return Ok(StoreState::Missing),
        StoreBackend::File(path) if !path.exists() => return missing(path),
        StoreBackend::File(path) => {
            check_file(path).await?;
            file_url(path, "mode=rw")?
        }
        StoreBackend::Postgres(url) => url.expose().to_owned(),
    };
    let failed = |error: sqlx::Error| named(StoreError::of("open", &error), &backend);
    let mut connection = connect(&url).await.map_err(failed)?;
    let problem = match &backend {
        StoreBackend::Postgres(_) => server_problem(&mut connection).await,
        _ => begin_to_write(&mut connection).await.map(|()| None),
    };
    let found = match problem.map_err(failed)? {
        Some(problem) => Err(named(problem, &backend)),
        None => version(&mut connection).await,
    };
    let _ = connection.close().await;
    match found? {
        0 => Ok(StoreState::Missing),
        found if found > SCHEMA_VERSION => Err(StoreError::Newer {
            found,
            known: SCHEMA_VERSION,
        }),
        version => Ok(StoreState::Ready { version }),
    }
}

fn named(error: StoreError, backend: &StoreBackend) -> StoreError {
    match backend {
        StoreBackend::File(path) => error.at(path),
        StoreBackend::Postgres(_) | StoreBackend::Memory => error,
    }
}

/// A file that could be created.
fn missing(path: &Path) -> Result<StoreState, StoreError> {
    let existing = path.ancestors().skip(1).find(|it| it.exists());
    let is_writable = existing.is_some_and(|it| it.is_dir() && may_write(it));
    if is_writable {
        return Ok(StoreState::Missing);
    }
    Err(StoreError::ReadOnly {
        path: path.to_owned(),
    })
}

#[cfg(unix)]
fn may_write(directory: &Path) -> bool {
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(directory: &Path) -> bool {
    std::fs::metadata(directory).is_ok_and(|it| !it.permissions().readonly())
}

/// The lock for writing is all of a write that leaves nothing behind.
async fn begin_to_write(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let wait = sqlx::query("PRAGMA busy_timeout = 5000");
    wait.fetch_optional(&mut *connection).await?;
    let writing = connection.begin_with("BEGIN IMMEDIATE").await?;
    writing.rollback().await
}

/// Why the tables of a server cannot be used.
async fn server_problem(connection: &mut AnyConnection) -> Result<Option<StoreError>, sqlx::Error> {
    let Some(schema) = postgres::schema(connection).await? else {
        return Ok(None);
    };
    postgres::use_schema(connection, &schema).await?;
    let moves = "SELECT current_setting('search_path') = 'prowess'
        AND to_regclass('prowess_store') IS NULL AND to_regclass('public.prowess_store') IS NOT NULL";
    let row = sqlx::query(moves).fetch_one(&mut *connection).await?;
    if row.try_get(0)? {
        // Tables of an older Prowess, which the next use moves.
        postgres::use_schema(connection, "public").await?;
    }
    let query = "SELECT current_setting('transaction_read_only') = 'off' AND CASE
        WHEN to_regclass('prowess_store') IS NOT NULL THEN has_table_privilege('prowess_store', 'UPDATE')
        WHEN current_schema() IS NULL THEN has_database_privilege(current_database(), 'CREATE')
        ELSE has_schema_privilege(current_schema(), 'CREATE') END";
    let row = sqlx::query(query).fetch_one(connection).await?;
    let is_writable: bool = row.try_get(0)?;
    Ok((!is_writable).then(|| StoreError::Database {
        action: "use",
        reason: "its user may not write to it".to_owned(),
    }))
}
