//! Checks of a file that another process may have left.

use std::path::Path;

use sqlx::{AnyConnection, Connection, Row};

use crate::connection::{connect, file_url};
use crate::error::StoreError;
use crate::exclusive::beside;

/// Checks a file together with the write-ahead log beside it, if there is one: it may be the log of another file that was at
/// this path before. Nothing is changed: a connection that cannot write does not move the log into the file either.
pub(crate) async fn check_file(path: &Path) -> Result<(), StoreError> {
    // SQLite follows a link, and puts its other files beside what the link leads to.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_empty = |path: &Path| !std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
    if is_empty(path) {
        return Ok(());
    }
    let log = beside(path, "-wal");
    let damaged = |reason: String| StoreError::Damaged {
        path: path.clone(),
        reason: if is_empty(&log) {
            reason
        } else {
            format!("with its write-ahead log `{}`: {reason}", log.display())
        },
    };
    let failed = |error: sqlx::Error| match StoreError::of("open", &error) {
        StoreError::Damaged { reason, .. } => damaged(reason),
        other => other.at(path),
    };
    let mut connection = connect(&file_url(path, "mode=ro")?).await.map_err(failed)?;
    let found = quick_check(&mut connection).await;
    let _ = connection.close().await;
    match found.map_err(failed)? {
        Some(reason) => Err(damaged(reason)),
        None => Ok(()),
    }
}

/// What SQLite finds wrong with a file.
async fn quick_check(connection: &mut AnyConnection) -> Result<Option<String>, sqlx::Error> {
    let wait = sqlx::query("PRAGMA busy_timeout = 5000");
    wait.fetch_optional(&mut *connection).await?;
    let query = sqlx::query("PRAGMA quick_check(1)");
    let row = query.fetch_one(&mut *connection).await?;
    let found: String = row.try_get(0)?;
    Ok((found != "ok").then_some(found))
}
