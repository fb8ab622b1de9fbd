//! `--fix`: the difference first, then the files, each whole or not at all.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::report::{Change, FileReport, Report};
use crate::rewrite::{difference, replace};
use crate::terminal;

/// Shows what would change, asks, and writes. Whether anything was written.
pub(crate) fn run(report: &Report, yes: bool) -> Result<bool> {
    let changed: Vec<(&FileReport, &Change)> = report
        .skills
        .iter()
        .flat_map(|skill| &skill.files)
        .filter_map(|file| Some((file, file.change.as_ref()?)))
        .collect();
    if changed.is_empty() {
        terminal::note("nothing to mend");
        return Ok(false);
    }
    let mut out = String::new();
    for (file, change) in &changed {
        let before = String::from_utf8_lossy(&change.before);
        out.push_str(&difference(&file.path, &before, &change.after));
    }
    terminal::print_styled(&out)?;
    let files = if changed.len() == 1 {
        "this file".to_owned()
    } else {
        format!("these {} files", changed.len())
    };
    if !yes && !terminal::confirm(&format!("write {files}?"))? {
        terminal::note("nothing was written; `--yes` writes without asking");
        return Ok(false);
    }
    for (file, change) in &changed {
        write(file, change)?;
    }
    terminal::note(&format!("wrote {files}"));
    Ok(true)
}

/// Replaces the file by a complete new one, unless somebody changed it in the meantime.
fn write(file: &FileReport, change: &Change) -> Result<()> {
    let path = Path::new(&file.path);
    let now = fs::read(path).with_context(|| format!("cannot read {}", file.path))?;
    if now != change.before {
        bail!(
            "{} changed while it was being checked; run the command again",
            file.path
        );
    }
    replace(path, change.after.as_bytes()).with_context(|| format!("cannot write {}", file.path))
}
