//! Opens the configured store.

use prowess_config::{SkillsConfig, StoreLocation};
use prowess_store::{Store, StoreBackend, StoreError};

use crate::error::{Context, Result};
use crate::{environment, terminal};

/// File name of the default store in the data directory.
const FILE: &str = "prowess.db";

/// What a command does where the store cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreNeed {
    /// It fails.
    Required,
    /// It fails, and would not with `--no-save`.
    UnlessNoSave,
    /// It continues without saved data and saves nothing.
    Optional,
}

/// The configured store.
pub(crate) fn backend(config: &SkillsConfig) -> StoreBackend {
    match &config.store {
        StoreLocation::DefaultSqlite => match environment::data_directory() {
            Some(directory) => StoreBackend::File(directory.join(FILE)),
            None => StoreBackend::Memory,
        },
        StoreLocation::Sqlite(path) => StoreBackend::File(path.clone()),
        StoreLocation::Postgres(url) => StoreBackend::Postgres(url.clone()),
    }
}

/// Whether there is anything in the store.
pub(crate) fn exists(config: &SkillsConfig) -> bool {
    match backend(config) {
        StoreBackend::File(file) => file.exists(),
        StoreBackend::Memory => false,
        StoreBackend::Postgres(_) => true,
    }
}

/// Opens the store for reading; a missing store file is not created.
pub(crate) async fn open_existing(config: &SkillsConfig) -> Result<Store> {
    match backend(config) {
        StoreBackend::File(file) if !file.exists() => Ok(Store::memory().await?),
        _ => open(config).await,
    }
}

/// Opens the store. Falls back to memory, with a warning, if its directory is read-only. A broken file is replaced.
pub(crate) async fn open(config: &SkillsConfig) -> Result<Store> {
    let opened = match Store::open(backend(config)).await {
        Err(error @ StoreError::Broken { .. }) => {
            warn(&format!("{error}; a new store is used"));
            Store::open(backend(config)).await
        }
        opened => opened,
    };
    match opened {
        Ok(store) => Ok(store),
        Err(error @ StoreError::ReadOnly { .. }) => {
            warn(&format!("{error}: nothing is saved after this run"));
            Ok(Store::memory().await?)
        }
        // It says what failed already.
        Err(error @ StoreError::Database { action: "open", .. }) => Err(error.into()),
        Err(error) => Err(error).context("cannot open the store"),
    }
}

/// Opens the store, or one in memory where it is not needed.
pub(crate) async fn open_for(config: &SkillsConfig, need: StoreNeed) -> Result<Store> {
    match open(config).await {
        Err(error) if need == StoreNeed::Optional => {
            warn(&format!("{error}: saved approvals are not used"));
            Ok(Store::memory().await?)
        }
        Err(error) if need == StoreNeed::UnlessNoSave => {
            Err(error.hint("use `--no-save` to continue without saved chats and approvals"))
        }
        opened => opened,
    }
}

fn warn(text: &str) {
    terminal::note(&terminal::printable(&format!("warning: {text}")));
}
