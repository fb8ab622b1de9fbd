//! cargo-deny, in the version that `deny.toml` is written for.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::run::{line, output, run};
use crate::workspace::Workspace;

const VERSION: &str = "0.20.2";
/// Another patch release reads the same configuration.
const SERIES: &str = "cargo-deny 0.20.";

/// Installs cargo-deny unless a fitting one is found.
pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    if installed(workspace).is_some() {
        return Ok(());
    }
    let mut install = workspace.cargo();
    install
        .args(["install", "cargo-deny", "--locked", "--version", VERSION])
        .args(["--no-default-features", "--root"])
        .arg(root(workspace))
        // Its thousand object files have no place among ours.
        .env_remove("CARGO_TARGET_DIR");
    println!(
        "installing cargo-deny (about two minutes on two cores): {}",
        line(&install)
    );
    run(&mut install)
}

/// cargo-deny itself, without arguments; fails to start when it is not installed.
pub(crate) fn command(workspace: &Workspace) -> Command {
    workspace.command(installed(workspace).unwrap_or_else(|| own(workspace)))
}

/// Our own copy, or one on the search path that is close enough.
fn installed(workspace: &Workspace) -> Option<PathBuf> {
    let own = own(workspace);
    if own.is_file() {
        return Some(own);
    }
    let version = output(workspace.command("cargo-deny").arg("--version")).ok()?;
    version.starts_with(SERIES).then(|| "cargo-deny".into())
}

fn own(workspace: &Workspace) -> PathBuf {
    root(workspace).join("bin").join("cargo-deny")
}

/// A root of its own for each version, so that the user's copy is never replaced.
fn root(workspace: &Workspace) -> PathBuf {
    workspace.cache().join(format!("cargo-deny-{VERSION}"))
}
