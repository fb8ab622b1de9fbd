//! Changing somebody's file: the difference first, then the whole file or nothing.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use similar::TextDiff;

use crate::terminal;

/// What would change in a file, for people.
pub(crate) fn difference(path: &str, before: &str, after: &str) -> String {
    let path = terminal::printable(path);
    let diff = TextDiff::from_lines(before, after);
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

/// Puts a complete new file in the place of one, with its mode, or where there is none.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A new file is as readable as any that the user makes.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(directory)?;
    temporary.write_all(bytes)?;
    if let Ok(metadata) = fs::metadata(path) {
        temporary
            .as_file()
            .set_permissions(metadata.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}
