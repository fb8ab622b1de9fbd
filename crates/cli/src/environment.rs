//! Directories from the environment; only the command line reads it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use prowess_agents::HOME_VARIABLES;
use prowess_sources::UserDirectories;
use prowess_trust::{TrustRecords, WorkRecords};

fn absolute(path: PathBuf) -> Option<PathBuf> {
    path.is_absolute().then_some(path)
}

pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).and_then(absolute)
}

fn home() -> Option<PathBuf> {
    env::home_dir().and_then(absolute)
}

/// The variable with the password of a key. The code of skills does not see it.
pub(crate) const KEY_PASSWORD: &str = "PROWESS_KEY_PASSWORD";

/// The variable with the token of a registry, for CI. The code of skills does not see it.
pub(crate) const REGISTRY_TOKEN: &str = "PROWESS_REGISTRY_TOKEN";

/// The token of that variable.
pub(crate) fn registry_token() -> Option<String> {
    env::var(REGISTRY_TOKEN).ok().filter(|it| !it.is_empty())
}

/// Home and configuration of the user.
pub(crate) fn user_directories() -> UserDirectories {
    let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")));
    let moved = HOME_VARIABLES.iter();
    UserDirectories {
        home: home(),
        config,
        moved: moved
            .filter_map(|(name, variable_name)| Some((*name, variable(variable_name)?)))
            .collect(),
    }
}

/// Directories of the home directory that variables put elsewhere, by their names there.
pub(crate) fn moved_directories() -> Vec<(&'static str, PathBuf)> {
    let standard = [
        (".config", "XDG_CONFIG_HOME"),
        (".local/share", "XDG_DATA_HOME"),
        (".local/state", "XDG_STATE_HOME"),
        (".cache", "XDG_CACHE_HOME"),
    ];
    let agents = HOME_VARIABLES.iter().copied();
    let moved = agents.chain(standard);
    moved
        .filter_map(|(name, held)| Some((name, variable(held)?)))
        .collect()
}

/// Makes a directory of configuration or data, which decides what runs: whatever the umask says, only the user writes it.
pub(crate) fn make_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The directory of data that cannot be recreated.
pub(crate) fn data_directory() -> Option<PathBuf> {
    let data = variable("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local/share")))?;
    Some(data.join("prowess"))
}

/// The directory of data that can be recreated.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?;
    Some(cache.join("prowess"))
}

/// Where the user's answers about projects are stored.
pub(crate) fn trust_records() -> Option<TrustRecords> {
    Some(TrustRecords::new(data_directory()?.join("trust")))
}

/// What the user accepted for skills that they work on.
pub(crate) fn work_records() -> Option<WorkRecords> {
    Some(WorkRecords::new(data_directory()?.join("work")))
}
