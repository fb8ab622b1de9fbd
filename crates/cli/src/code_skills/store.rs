//! Opens the configured store.

use prowess_config::{SkillsConfig, StoreLocation};
use prowess_store::{Store, StoreBackend, StoreError};

use crate::error::{Context, Result};
use crate::{environment, terminal};

/// File name of the default store in the data directory.
const FILE: &str = "prowess.db";

/// Opens the store for reading; a missing store file is not created.
pub(crate) async fn open_existing(config: &SkillsConfig) -> Result<Store> {
    let file = match &config.store {
        StoreLocation::DefaultSqlite => environment::data_directory().map(|it| it.join(FILE)),
        StoreLocation::Sqlite(path) => Some(path.clone()),
        StoreLocation::Postgres(_) => None,
    };
    if file.is_some_and(|file| !file.exists()) {
        return Ok(Store::memory().await?);
    }
    open(config).await
}

/// Opens the store. Falls back to memory, with a warning, if its directory is read-only.
pub(crate) async fn open(config: &SkillsConfig) -> Result<Store> {
    let backend = match &config.store {
        StoreLocation::DefaultSqlite => match environment::data_directory() {
            Some(directory) => StoreBackend::File(directory.join(FILE)),
            None => StoreBackend::Memory,
        },
        StoreLocation::Sqlite(path) => StoreBackend::File(path.clone()),
        StoreLocation::Postgres(url) => StoreBackend::Postgres(url.clone()),
    };
    match Store::open(backend).await {
        Ok(store) => Ok(store),
        Err(error @ StoreError::ReadOnly { .. }) => {
            terminal::note(&terminal::printable(&format!(
                "warning: {error}: nothing is saved after this run"
            )));
            Ok(Store::memory().await?)
        }
        Err(error) => Err(error).context("cannot open the store"),
    }
}
