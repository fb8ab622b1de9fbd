//! `cargo xtask generate`: the files that are made from the code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::agents;
use crate::contract;
use crate::http;
use crate::reference;
use crate::workspace::Workspace;

/// Whether to write or only to look.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail when a file is out of date
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// What the flags ask for.
    pub(crate) fn mode(&self) -> Mode {
        if self.check { Mode::Check } else { Mode::Write }
    }
}

/// What to do with a file that differs.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// Replace it.
    Write,
    /// Report it.
    Check,
}

/// Path from the root of the workspace, and what belongs there.
type Files = BTreeMap<&'static str, String>;

/// Brings every generated file up to date, or fails when one is not.
pub(crate) fn generate(workspace: &Workspace, mode: Mode) -> Result<()> {
    synchronise(workspace.root(), &files(workspace.root())?, mode)
}

/// Every generated file.
fn files(root: &Path) -> Result<Files> {
    Ok(Files::from([
        ("crates/agents/src/table.rs", agents::table(root)?),
        ("docs/audit.md", reference::audit()),
        ("docs/cli.md", reference::command_line()),
        ("docs/diagnostics.md", reference::diagnostics()),
        ("docs/http.md", http::page()),
        ("docs/prowess.schema.json", reference::schema()),
        ("docs/contract/tests.md", contract::page(root)?),
    ]))
}

fn synchronise(root: &Path, files: &Files, mode: Mode) -> Result<()> {
    let mut stale = Vec::new();
    for (name, wanted) in files {
        let path = root.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == *wanted) {
            continue;
        }
        match mode {
            Mode::Check => stale.push(*name),
            Mode::Write => write(&path, wanted)?,
        }
    }
    if !stale.is_empty() {
        bail!(
            "out of date: {}; run `cargo xtask generate`",
            stale.join(", ")
        );
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_stale_until_it_is_written() {
        let root = tempfile::tempdir().unwrap();
        let files = Files::from([("docs/a.md", "a\n".to_owned()), ("b.md", "b\n".to_owned())]);

        let error = synchronise(root.path(), &files, Mode::Check).unwrap_err();
        assert_eq!(
            error.to_string(),
            "out of date: b.md, docs/a.md; run `cargo xtask generate`"
        );
        synchronise(root.path(), &files, Mode::Write).unwrap();
        synchronise(root.path(), &files, Mode::Check).unwrap();

        fs::write(root.path().join("b.md"), "edited\n").unwrap();
        assert!(synchronise(root.path(), &files, Mode::Check).is_err());
    }
}
