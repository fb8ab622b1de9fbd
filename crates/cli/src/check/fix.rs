//! `--fix`: shows the difference, then replaces the files atomically.

use std::path::Path;

use super::report::{Change, FileReport, Report};
use crate::error::{CommandError, Context, Result};
use crate::rewrite::{Access, Exchanged, difference, exchange};
use crate::terminal;

/// Shows the changes, asks, and writes. Returns whether anything was written.
pub(crate) fn run(report: &Report, yes: bool) -> Result<bool> {
    let changed: Vec<(&FileReport, &Change)> = report
        .skills
        .iter()
        .flat_map(|skill| &skill.files)
        .filter_map(|file| Some((file, file.change.as_ref()?)))
        .collect();
    if changed.is_empty() {
        terminal::note("nothing to fix");
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
        terminal::note("nothing written; use `--yes` to write without asking");
        return Ok(false);
    }
    for (file, change) in &changed {
        write(file, change)?;
    }
    terminal::note(&format!("wrote {files}"));
    Ok(true)
}

/// Replaces the file atomically, unless it changed in the meantime.
fn write(file: &FileReport, change: &Change) -> Result<()> {
    let path = Path::new(&file.path);
    let (before, after) = (Some(&*change.before), change.after.as_bytes());
    let exchanged = exchange(path, before, after, Access::Usual);
    match exchanged.with_context(|| format!("cannot write {}", file.path))? {
        Exchanged::Done => Ok(()),
        Exchanged::Changed => Err(CommandError::failure(format!(
            "{} changed during the check; run the command again",
            file.path
        ))),
    }
}
