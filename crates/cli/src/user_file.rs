//! Changes of the configuration file of the user.

use std::path::{Path, PathBuf};

use prowess_config::CONFIG_FILE;

use crate::error::{CommandError, Context, Result};
use crate::rewrite::{self, Access};
use crate::{configuration, environment};

/// Bytes of such a file.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Changes `file`, or the file of the user, and returns its path. Comments and order stay; `edit` returns `None` for text that it
/// cannot change.
pub(crate) fn change(
    file: Option<&Path>,
    edit: impl Fn(&str) -> Option<String>,
) -> Result<PathBuf> {
    let path = match file {
        Some(file) => file.to_owned(),
        None => path()?,
    };
    let shown = configuration::shown(&path);
    if let Some(directory) = path.parent() {
        environment::make_private_directory(directory)
            .with_context(|| format!("cannot write {shown}"))?;
    }
    rewrite::edit(&path, &shown, FILE_BYTES, Access::Usual, |text| {
        edit(text)
            .ok_or_else(|| CommandError::failure(format!("cannot change {shown}: invalid TOML")))
    })?;
    Ok(path)
}

fn path() -> Result<PathBuf> {
    let directory = environment::user_directories().config;
    let directory = directory.context("cannot find the configuration directory: set HOME")?;
    Ok(directory.join("prowess").join(CONFIG_FILE))
}
