//! Why a store could not be opened or used.

use std::path::PathBuf;

use prowess_net::TaskError;

/// Why a store could not be opened or used. None of them shows a URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A newer Prowess wrote it; nothing was touched.
    #[error(
        "the store has version {found}, and this Prowess knows up to {known}; use the newer Prowess"
    )]
    Newer {
        /// The version of the store.
        found: i64,
        /// The version that we write.
        known: i64,
    },
    /// The file is not a store, or broken.
    #[error("`{}` is not a store or is broken ({reason}); a copy is `{}`", path.display(), copy.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where its copy is.
        copy: PathBuf,
        /// What the database says.
        reason: String,
    },
    /// Somebody else is writing for longer than we wait.
    #[error("the store is in use by another process; try again when that is done")]
    Locked,
    /// The place can only be read.
    #[error("`{}` cannot be written", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The database said no.
    #[error("cannot {action} the store: {reason}")]
    Database {
        /// What was tried.
        action: &'static str,
        /// What the database says.
        reason: String,
    },
    /// There is no such chat.
    #[error("there is no chat `{}`", id.escape_debug())]
    NoChat {
        /// What was asked for.
        id: String,
    },
    /// Somebody else said something in the chat meanwhile; nothing was written.
    #[error(
        "somebody else continued the chat `{id}`: it has {found} turns, and this was to be the one after {expected}; open it again to go on"
    )]
    ChatChanged {
        /// The chat.
        id: String,
        /// The turns that the writer knows of.
        expected: u64,
        /// The turns that there are.
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
