//! The store, wherever it is, and what to do without one.

use anyhow::{Context, Result};
use prowess_config::{SkillsConfig, StoreLocation};
use prowess_store::{Place, Store, StoreError};

use crate::{environment, terminal};

/// Opens the store. Where nothing can be written, one in memory stands in, and a line says so.
pub(crate) async fn open(config: &SkillsConfig) -> Result<Store> {
    let place = match &config.store {
        StoreLocation::DefaultSqlite => match environment::data_directory() {
            Some(directory) => Place::File(directory.join("prowess.db")),
            None => Place::Memory,
        },
        StoreLocation::Sqlite(path) => Place::File(path.clone()),
        StoreLocation::Postgres(url) => Place::Postgres(url.clone()),
    };
    match Store::open(place).await {
        Ok(store) => Ok(store),
        Err(error @ StoreError::ReadOnly { .. }) => {
            terminal::note(&terminal::printable(&format!(
                "{error}: nothing is kept beyond this run"
            )));
            Ok(Store::memory().await?)
        }
        Err(error) => Err(error).context("cannot use the store"),
    }
}
