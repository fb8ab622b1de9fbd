//! Changes of the configuration file of the user.

use std::path::{Path, PathBuf};
use std::{fs, io};

use prowess_config::CONFIG_FILE;

use crate::error::{CommandError, Context, Result};
use crate::rewrite;
use crate::{configuration, environment};

/// Changes `file`, or the file of the user, and returns its path. Comments and order stay; `edit` returns `None` for text that it
/// cannot change.
pub(crate) fn change(
    file: Option<&Path>,
    edit: impl FnOnce(&str) -> Option<String>,
) -> Result<PathBuf> {
    let path = match file {
        Some(file) => file.to_owned(),
        None => path()?,
    };
    let shown = configuration::shown(&path);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("cannot read {shown}"))?,
    };
    let changed = edit(&text)
        .ok_or_else(|| CommandError::failure(format!("cannot change {shown}: invalid TOML")))?;
    if changed != text {
        if let Some(directory) = path.parent() {
            environment::make_config_directory(directory)
                .with_context(|| format!("cannot write {shown}"))?;
        }
        rewrite::replace(&path, changed.as_bytes())
            .with_context(|| format!("cannot write {shown}"))?;
    }
    Ok(path)
}

fn path() -> Result<PathBuf> {
    let directory = environment::user_directories().config;
    let directory = directory.context("cannot find the configuration directory: set HOME")?;
    Ok(directory.join("prowess").join(CONFIG_FILE))
}
