//! Where the session happens: a project with the example skills, and a home with nothing in it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::workspace::Workspace;

/// A directory that goes away after the recording.
pub(super) struct Place {
    directory: TempDir,
}

impl Place {
    /// A project with a copy of `examples/skills`.
    pub(super) fn new(workspace: &Workspace) -> Result<Self> {
        let directory = tempfile::tempdir().context("cannot make a directory")?;
        let project = directory.path().join("project");
        copy(
            &workspace.root().join("examples/skills"),
            &project.join(".agents/skills"),
        )?;
        // Skills are looked for up to the root of the repository, and not in whatever lies above it.
        fs::create_dir_all(project.join(".git"))?;
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        fs::create_dir_all(directory.path().join("home"))?;
        Ok(Self { directory })
    }

    /// `prowess chat`, with nothing of our own environment: no model, no key, no settings.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .arg("chat")
            .current_dir(self.directory.path().join("project"))
            .env_clear()
            .env("HOME", self.directory.path().join("home"))
            .env("LANG", "C.UTF-8")
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TERM", "xterm-256color");
        command
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
