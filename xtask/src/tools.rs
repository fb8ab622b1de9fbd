//! What the commands need from the machine: looked for, and installed where that is possible.
//!
//! Everything is found in well under a second when nothing is missing.

use std::fs::{self, File};

use anyhow::{Context, Result, ensure};

use crate::run::{line, run, succeeds};
use crate::system::{self, Need};
use crate::workspace::Workspace;
use crate::{deny, python};

/// Everything that the steps of `cargo xtask test` start.
pub(crate) fn ensure_for_tests(workspace: &Workspace) -> Result<()> {
    let _lock = lock(workspace)?;
    system::ensure(&[
        Need::Linker,
        Need::Python,
        Need::Git,
        Need::Ssh,
        Need::Openssl,
        Need::Bsdtar,
        Need::Postgres,
        Need::MariaDb,
        Need::Tracer,
        Need::Browser,
        Need::Npm,
        Need::Jail,
    ])?;
    ensure_components(workspace)?;
    deny::ensure(workspace)?;
    python::ensure(workspace)
}

/// Everything that `cargo xtask fuzz` starts.
pub(crate) fn ensure_for_fuzzing(workspace: &Workspace) -> Result<()> {
    let _lock = lock(workspace)?;
    system::ensure(&[Need::Linker, Need::Cpp])
}

/// Two checkouts share the cache; the second waits until the first has installed.
fn lock(workspace: &Workspace) -> Result<File> {
    let cache = workspace.cache();
    fs::create_dir_all(cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let path = cache.join("tools.lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    file.lock()
        .with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

/// rustfmt and clippy, which rustup leaves out of its minimal profile.
fn ensure_components(workspace: &Workspace) -> Result<()> {
    let present = |tool| succeeds(workspace.cargo().args([tool, "--version"]));
    if present("fmt") && present("clippy") {
        return Ok(());
    }
    let mut add = workspace.command("rustup");
    add.args(["component", "add", "rustfmt", "clippy"]);
    ensure!(
        succeeds(workspace.command("rustup").arg("--version")),
        "rustfmt or clippy is missing, and rustup was not found; with rustup, run `{}`",
        line(&add)
    );
    println!("installing rustfmt and clippy: {}", line(&add));
    run(&mut add)
}
