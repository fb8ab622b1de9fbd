//! `--fix`: shows the difference, then replaces the files atomically.

use std::path::Path;

use prowess_spec::limits::FILE_BYTES;

use super::report::{Change, FileReport, Report};
use crate::error::{CommandError, Context, Result};
use crate::rewrite::{difference, read, replace};
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
    let now = read(path, FILE_BYTES as u64);
    let now = now.with_context(|| format!("cannot read {}", file.path))?;
    if now.as_deref() != Some(&*change.before) {
        return Err(CommandError::failure(format!(
            "{} changed during the check; run the command again",
            file.path
        )));
    }
    replace(path, change.after.as_bytes()).with_context(|| format!("cannot write {}", file.path))
}
