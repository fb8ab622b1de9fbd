//! Why a store could not be opened or used.

use std::path::PathBuf;

use prowess_net::TaskError;

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
    /// The file is not a store, or broken.
    #[error("`{}` is not a store or is corrupt ({reason}); it was renamed to `{}`", path.display(), aside.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Its new name.
        aside: PathBuf,
        /// The error of the database.
        reason: String,
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

impl StoreError {
    pub(crate) fn of(action: &'static str, error: &sqlx::Error) -> Self {
        let reason = match error {
            sqlx::Error::Database(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        if reason.contains("database is locked") || reason.contains("lock timeout") {
            return Self::Locked;
        }
        Self::Database { action, reason }
    }
}
