//! `--fix`: the difference first, then the files, each whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use anstyle::Style;
use anyhow::{Context, Result, bail};
use similar::TextDiff;

use super::report::{Change, FileReport, Report};
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
        out.push_str(&difference(file, change));
    }
    terminal::print(&out)?;
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

fn difference(file: &FileReport, change: &Change) -> String {
    let before = String::from_utf8_lossy(&change.before);
    let path = terminal::printable(&file.path);
    let diff = TextDiff::from_lines(before.as_ref(), change.after.as_str());
    let unified = diff
        .unified_diff()
        .context_radius(2)
        .header(&path, &path)
        .to_string();
    unified.split_inclusive('\n').map(coloured).collect()
}

/// A line of a difference in its colour; what the file holds cannot move the cursor.
fn coloured(line: &str) -> String {
    let style = match line.as_bytes().first() {
        Some(b'-') => terminal::REMOVED,
        Some(b'+') => terminal::ADDED,
        _ => Style::new(),
    };
    let text = terminal::printable(line.trim_end_matches(['\r', '\n']));
    format!("{style}{text}{style:#}\n")
}

/// Replaces the file by a complete new one, unless somebody changed it in the meantime.
fn write(file: &FileReport, change: &Change) -> Result<()> {
    let path =
        fs::canonicalize(&file.path).with_context(|| format!("cannot find {}", file.path))?;
    let now = fs::read(&path).with_context(|| format!("cannot read {}", file.path))?;
    if now != change.before {
        bail!(
            "{} changed while it was being checked; run the command again",
            file.path
        );
    }
    replace(&path, change.after.as_bytes()).with_context(|| format!("cannot write {}", file.path))
}

fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(bytes)?;
    temporary
        .as_file()
        .set_permissions(fs::metadata(path)?.permissions())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}
