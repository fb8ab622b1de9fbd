//! Opens the configured store.

use std::path::{Path, PathBuf};

use prowess_config::{SkillsConfig, StoreLocation};
use prowess_store::{Store, StoreBackend, StoreError};

use crate::error::{CommandError, Result};
use crate::{configuration, environment, terminal};

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

/// The directory of the store, for what cannot be saved in it; the data directory if the store is on another machine.
pub(crate) fn directory(config: &SkillsConfig) -> Option<PathBuf> {
    match backend(config) {
        StoreBackend::File(path) => path.parent().map(Path::to_owned),
        StoreBackend::Postgres(_) | StoreBackend::Memory => environment::data_directory(),
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

/// Opens the store; one in memory replaces a file that does not exist, for a command that has nothing to save then.
pub(crate) async fn open_existing(config: &SkillsConfig) -> Result<Store> {
    if exists(config) {
        open(config).await
    } else {
        Ok(Store::memory().await?)
    }
}

/// Opens the store for a command that only shows what is in it, also on a disk that is full.
pub(crate) async fn open_to_read(config: &SkillsConfig) -> Result<Store> {
    if exists(config) {
        let opened = Store::open_to_read(backend(config)).await;
        opened.map_err(|error| cannot_open(config, error))
    } else {
        Ok(Store::memory().await?)
    }
}

/// Opens the store. Whatever is wrong with it is an error, and it stays as it is.
pub(crate) async fn open(config: &SkillsConfig) -> Result<Store> {
    let opened = Store::open(lasting_backend(config)?).await;
    opened.map_err(|error| cannot_open(config, error))
}

/// Opens the store for a server, which acknowledges to others what it writes there.
pub(crate) async fn open_to_serve(config: &SkillsConfig) -> Result<Store> {
    let opened = Store::open_checked(lasting_backend(config)?).await;
    opened.map_err(|error| cannot_open(config, error))
}

/// The configured store, if it outlives the process.
fn lasting_backend(config: &SkillsConfig) -> Result<StoreBackend> {
    match backend(config) {
        StoreBackend::Memory => {
            let error = CommandError::failure("cannot find the data directory for the store");
            Err(error.hint("set HOME, or `url` under [store] in your prowess.toml"))
        }
        lasting => Ok(lasting),
    }
}

/// Opens the store for a command that does its work without it too: then approvals hold for this run only.
pub(crate) async fn open_for(config: &SkillsConfig, need: StoreNeed) -> Result<Store> {
    let opened = match backend(config) {
        // There is no home directory.
        StoreBackend::Memory => Store::memory().await,
        lasting => Store::open(lasting).await,
    };
    match opened {
        Ok(store) => Ok(store),
        Err(error @ StoreError::ReadOnly { .. }) => {
            warn(&format!("{error}: nothing is saved after this run"));
            Ok(Store::memory().await?)
        }
        Err(error) => {
            let error = cannot_open(config, error);
            match need {
                StoreNeed::Required => Err(error),
                StoreNeed::UnlessNoSave => {
                    let hint = "use `--no-save` to continue without saved chats and approvals";
                    Err(error.hint(hint))
                }
                StoreNeed::Optional => {
                    warn(&format!("{error}: saved approvals are not used"));
                    Ok(Store::memory().await?)
                }
            }
        }
    }
}

/// Why the store cannot be opened, with its place and what to do.
fn cannot_open(config: &SkillsConfig, error: StoreError) -> CommandError {
    let place = match backend(config) {
        StoreBackend::File(path) => configuration::shown(&path),
        StoreBackend::Postgres(url) => url.to_string(),
        StoreBackend::Memory => "memory".to_owned(),
    };
    let hint = match &error {
        StoreError::Damaged { .. } => Some(
            "stop every process that uses it, then run `prowess doctor --repair` to move it aside, or `prowess store restore FILE` to restore a backup",
        ),
        StoreError::ReadOnly { .. } => {
            Some("make it writable, or set `url` under [store] in your prowess.toml")
        }
        StoreError::Locked => Some("a process writes to it for long: stop it, or try again later"),
        StoreError::Full => Some("make room on its disk, then try again"),
        _ => None,
    };
    let message = match error {
        // They name it.
        error @ (StoreError::Damaged { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Replaced { .. }
        | StoreError::File { .. }) => format!("cannot open the store: {error}"),
        // It says what failed already.
        StoreError::Database { reason, .. } => {
            format!("cannot open the store `{place}`: {reason}")
        }
        error => format!("cannot open the store `{place}`: {error}"),
    };
    let error = CommandError::failure(message);
    hint.into_iter().fold(error, CommandError::hint)
}

fn warn(text: &str) {
    terminal::note(&terminal::printable(&format!("warning: {text}")));
}
