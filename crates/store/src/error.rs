//! Why a store could not be opened or used.

use std::path::{Path, PathBuf};

use prowess_net::TaskError;
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteError;

/// Why a store could not be opened or used. None of them shows a URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A newer Prowess wrote it; nothing was touched.
    #[error(
        "unsupported store version {found}: this Prowess supports up to {known}; use a newer Prowess"
    )]
    Newer {
        /// The version of the store.
        found: i64,
        /// The version that we write.
        known: i64,
    },
    /// Its tables are not those of the version that it states; nothing was changed.
    #[error(
        "cannot migrate the store from version {found}: {reason}; nothing was changed. Another build of Prowess wrote it: use that one, or move the store away"
    )]
    Migration {
        /// The version of the store.
        found: i64,
        /// The error of the database.
        reason: String,
    },
    /// The file is not a store, or corrupt; nothing was changed.
    #[error("`{}` is not a store or is corrupt: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite found.
        reason: String,
    },
    /// The path leads to another file than the one that is open, or to none: what is written is lost.
    #[error("`{}` was removed or replaced while it was open; restart to use what is there now", path.display())]
    Replaced {
        /// The path.
        path: PathBuf,
    },
    /// Another process has the file open, so that it cannot be moved or replaced.
    #[error("another process uses `{}`; stop it first", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The disk has no room left for a write.
    #[error("the disk of the store is full")]
    Full,
    /// A file beside the database could not be read, written or moved.
    #[error("cannot {action} `{}`: {source}", path.display())]
    File {
        /// The action.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another process holds the lock for too long.
    #[error("the store is locked by another process; try again later")]
    Locked,
    /// The database is read-only.
    #[error("cannot write `{}`", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The database returned an error.
    #[error("cannot {action} the store: {reason}")]
    Database {
        /// The action.
        action: &'static str,
        /// The error of the database.
        reason: String,
    },
    /// Unknown chat.
    #[error("unknown chat `{}`", id.escape_debug())]
    NoChat {
        /// The requested data.
        id: String,
    },
    /// Another process changed the chat; nothing was written.
    #[error(
        "the chat `{id}` was changed by another process: expected {expected} turns, found {found}; reload it"
    )]
    ChatChanged {
        /// The chat.
        id: String,
        /// The version that the writer knows.
        expected: u64,
        /// The version in the store.
        found: u64,
    },
    /// The work was not done.
    #[error(transparent)]
    Task(#[from] TaskError),
}

/// Result codes of SQLite, without what extends them.
mod code {
    pub(super) const BUSY: i32 = 5;
    pub(super) const READ_ONLY: i32 = 8;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const NOT_A_DATABASE: i32 = 26;
    /// With what extends it: the index of the log cannot grow, which has no other reason than a full disk.
    pub(super) const INDEX_CANNOT_GROW: i32 = 0x130a;
}

/// The error of PostgreSQL for a lock that was not released in time.
const LOCK_NOT_AVAILABLE: &str = "55P03";

impl StoreError {
    pub(crate) fn of(action: &'static str, error: &sqlx::Error) -> Self {
        let reason = match error {
            sqlx::Error::Database(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        let path = PathBuf::new();
        match sqlite_code(error) {
            Some(code::INDEX_CANNOT_GROW) => return Self::Full,
            Some(extended) => match extended & 0xff {
                code::BUSY => return Self::Locked,
                code::FULL => return Self::Full,
                code::READ_ONLY => return Self::ReadOnly { path },
                code::CORRUPT | code::NOT_A_DATABASE => return Self::Damaged { path, reason },
                _ => {}
            },
            None => {}
        }
        let database = error.as_database_error();
        if database.and_then(DatabaseError::code).as_deref() == Some(LOCK_NOT_AVAILABLE) {
            return Self::Locked;
        }
        Self::Database { action, reason }
    }

    /// The same error with the file that it is about.
    pub(crate) fn at(self, file: &Path) -> Self {
        let path = file.to_owned();
        match self {
            Self::Damaged { reason, .. } => Self::Damaged { path, reason },
            Self::ReadOnly { .. } => Self::ReadOnly { path },
            other => other,
        }
    }

    /// Whether the same write may work later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Locked
                | Self::Full
                | Self::Replaced { .. }
                | Self::ReadOnly { .. }
                | Self::Database { .. }
                | Self::Task(_)
        )
    }
}

/// The result code, if SQLite returned it.
fn sqlite_code(error: &sqlx::Error) -> Option<i32> {
    let error = error.as_database_error()?;
    error.try_downcast_ref::<SqliteError>()?;
    error.code()?.parse().ok()
}
