//! Copies of a store, and their way back.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use sqlx::{AnyConnection, Connection, Row};

use crate::connection::{connect, file_url};
use crate::error::StoreError;
use crate::exclusive::{ExclusiveFile, beside};
use crate::file::BESIDE;
use crate::open::{Store, StoreBackend};
use crate::repair::free_name;
use crate::schema::{SCHEMA_VERSION, version};

/// Copies a store to a new file, as it is at one moment. Processes may use it meanwhile.
pub async fn back_up(store: &Path, copy: &Path) -> Result<(), StoreError> {
    let (store, copy) = (store.to_owned(), copy.to_owned());
    prowess_net::run(async move {
        sqlx::any::install_default_drivers();
        let mut connection = check_file(&store, Use::Shared).await?;
        let made = copy_to(&mut connection, &store, &copy).await;
        let _ = connection.close().await;
        made
    })
    .await?
}

/// Puts a copy in the place of a store that no process uses. The copy is checked first, and stays where it is. Returns the
/// new name of the file that it replaced.
///
/// A kill leaves the old store or the new one, never one with the write-ahead log of the other.
pub async fn restore(copy: &Path, store: &Path) -> Result<Option<PathBuf>, StoreError> {
    let (copy, store) = (copy.to_owned(), store.to_owned());
    prowess_net::run(async move {
        sqlx::any::install_default_drivers();
        let mut connection = check_file(&copy, Use::Alone).await?;
        // SQLite follows a link, and puts its other files beside what the link leads to.
        let store = store.canonicalize().unwrap_or(store);
        let new = free_name(&store, "restored");
        let made = copy_to(&mut connection, &copy, &new).await;
        let _ = connection.close().await;
        made?;
        let replaced = replace(&store, &new).await;
        if replaced.is_err() {
            // The copy that was asked for is still where it was.
            let _ = fs::remove_file(&new);
        }
        replaced
    })
    .await?
}

/// Whether other processes may write to a file meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Alone,
    Shared,
}

/// A connection that only reads, to a file that is a store from end to end.
async fn check_file(path: &Path, used: Use) -> Result<AnyConnection, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of("open", &error).at(path);
    let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    // Without a log, nothing has to be created beside the file, whose directory may be read-only.
    let parameters = if used == Use::Alone && !has_log {
        "mode=ro&immutable=1"
    } else {
        "mode=ro"
    };
    fs::metadata(path).map_err(|source| StoreError::File {
        action: "read",
        path: path.to_owned(),
        source,
    })?;
    let mut connection = connect(&file_url(path, parameters)?)
        .await
        .map_err(failed)?;
    let query = sqlx::query("PRAGMA integrity_check(1)");
    let row = query.fetch_one(&mut connection).await.map_err(failed)?;
    let reason: String = row.try_get(0).map_err(failed)?;
    let path = path.to_owned();
    if reason != "ok" {
        return Err(StoreError::Damaged { path, reason });
    }
    match version(&mut connection).await? {
        0 => Err(StoreError::Damaged {
            path,
            reason: "it has no tables of Prowess".to_owned(),
        }),
        found if found > SCHEMA_VERSION => Err(StoreError::Newer {
            found,
            known: SCHEMA_VERSION,
        }),
        _ => Ok(connection),
    }
}

/// Writes what a connection sees to a new file, for its owner only.
async fn copy_to(connection: &mut AnyConnection, from: &Path, to: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::File {
        action: "write",
        path: to.to_owned(),
        source,
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(to).map_err(failed)?;
    let text = to.to_str().ok_or_else(|| StoreError::Database {
        action: "copy",
        reason: "the path of the copy is not UTF-8".to_owned(),
    })?;
    let query = sqlx::query("VACUUM INTO $1").bind(text.to_owned());
    let copied = query.execute(connection).await;
    let synced = copied
        .map_err(|error| StoreError::of("copy", &error).at(from))
        .and_then(|_| {
            File::open(to)
                .and_then(|file| file.sync_all())
                .map_err(failed)
        })
        .and_then(|()| sync_directory(to));
    if synced.is_err() {
        let _ = fs::remove_file(to);
    }
    synced
}

/// Puts a new file in the place of a store.
async fn replace(store: &Path, new: &Path) -> Result<Option<PathBuf>, StoreError> {
    let failed = |action: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::File {
            action,
            path,
            source,
        }
    };
    if !store.exists() {
        for end in BESIDE {
            remove(&beside(store, end))?;
        }
        fs::rename(new, store).map_err(failed("rename", new))?;
        sync_directory(store)?;
        return Ok(None);
    }
    drop(ExclusiveFile::take(store)?);
    // A store that works moves its log into its file when the last connection is closed. Then only one file is replaced. One
    // that does not work has a log that nothing can use.
    if let Ok(old) = Store::open(StoreBackend::File(store.to_owned())).await {
        old.close().await;
    }
    let _alone = ExclusiveFile::take(store)?;
    let aside = free_name(store, "replaced");
    fs::hard_link(store, &aside).map_err(failed("save", store))?;
    for end in BESIDE {
        let from = beside(store, end);
        match fs::rename(&from, beside(&aside, end)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("rename", &from)(error));
            }
            _ => {}
        }
    }
    fs::rename(new, store).map_err(failed("rename", new))?;
    sync_directory(store)?;
    Ok(Some(aside))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(StoreError::File {
            action: "remove",
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Makes a new name outlast a power cut.
fn sync_directory(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    if let Some(directory) = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        synced.map_err(|source| StoreError::File {
            action: "write",
            path: directory.to_owned(),
            source,
        })?;
    }
    Ok(())
}
