//! Where things are: the checkout, the cache outside it, and the cargo that started us.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The checkout that `cargo xtask` was called in.
pub(crate) struct Workspace {
    root: PathBuf,
    cache: PathBuf,
    cargo: OsString,
}

impl Workspace {
    /// Finds the checkout by asking cargo at run time.
    ///
    /// A path fixed at compile time would be wrong as soon as two checkouts share one target directory.
    pub(crate) fn find() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .context("this program is started by cargo: run `cargo xtask`")?;
        let root = Path::new(&manifest)
            .parent()
            .context("the directory of xtask has no parent")?
            .to_owned();
        let cache = cache_home()?.join("prowess");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Ok(Self { root, cache, cargo })
    }

    /// The directory of the workspace's `Cargo.toml`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where tools are kept between runs; it may not exist yet.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// A cargo command in the root of the checkout.
    pub(crate) fn cargo(&self) -> Command {
        self.command(&self.cargo)
    }

    /// Any command in the root of the checkout.
    pub(crate) fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        command.current_dir(&self.root);
        command
    }
}

/// The user's cache directory; a relative `XDG_CACHE_HOME` does not count, as its specification asks.
fn cache_home() -> Result<PathBuf> {
    if let Some(cache) = env::var_os("XDG_CACHE_HOME").map(PathBuf::from)
        && cache.is_absolute()
    {
        return Ok(cache);
    }
    let home = env::home_dir().context("no home directory: set HOME or XDG_CACHE_HOME")?;
    Ok(home.join(".cache"))
}
