//! The web console: its sources are type-checked, and its committed bundle is what they make.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::run::run;
use crate::workspace::Workspace;

/// The console, and its bundle in it.
const DIRECTORY: &str = "crates/server/console";
const BUNDLE: &str = "dist";

/// Builds the bundle in the cache, so that a checkout stays as it is.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let sources = workspace.root().join(DIRECTORY);
    let copy = workspace.cache().join("console");
    for entry in files(&sources)? {
        let inside = entry.strip_prefix(&sources)?;
        let target = copy.join(inside);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&entry, &target).with_context(|| format!("cannot copy {}", entry.display()))?;
    }
    // Files that are no longer there.
    for entry in files(&copy)? {
        if !sources.join(entry.strip_prefix(&copy)?).exists() {
            fs::remove_file(&entry)?;
        }
    }
    let npm = |words: &[&str]| {
        let mut npm = workspace.command("npm");
        npm.args(words).current_dir(&copy);
        run(&mut npm)
    };
    let lock = fs::read(sources.join("package-lock.json"))?;
    let marker = copy.join("node_modules/.prowess-installed");
    if fs::read(&marker).ok().as_deref() != Some(&*lock) {
        npm(&["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
        fs::write(&marker, &lock)?;
    }
    npm(&["run", "--silent", "check"])?;
    npm(&["run", "--silent", "build"])?;
    // The build itself refuses a bundle that is too large.
    for made in files(&copy.join(BUNDLE))? {
        let name = made.strip_prefix(copy.join(BUNDLE))?;
        let committed = sources.join(BUNDLE).join(name);
        let made = fs::read(&made)?;
        ensure!(
            fs::read(&committed).ok().as_deref() == Some(&*made),
            "{} is not what its sources make: run `npm ci && npm run build` in {DIRECTORY}",
            committed.display()
        );
    }
    Ok(())
}

/// The files below a directory, without installed packages.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name() == "node_modules" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
