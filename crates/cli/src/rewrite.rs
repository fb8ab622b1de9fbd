//! The one way to change a file of the user: read it, make the new text, show the difference, and exchange the two. What another program
//! has written meanwhile stays.

mod beneath;
mod text;

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anstyle::Style;
use similar::TextDiff;

use crate::error::{CommandError, Context, Result};
use crate::{environment, terminal};

pub(crate) use beneath::{Access, Exchanged, copy, exchange, make_directories, read, replace};
pub(crate) use text::edit_text;

/// Times that an edit begins again because another program has changed the file.
const TRIES: usize = 100;

/// Edits a file as a whole; others of our processes wait meanwhile, and an edit begins again if another program has changed the
/// file. Whether it was changed. `shown` is the path for messages.
pub(crate) fn edit(
    path: &Path,
    shown: &str,
    limit: u64,
    access: Access,
    mut change: impl FnMut(&str) -> Result<String>,
) -> Result<bool> {
    let _lock = lock(path).with_context(|| format!("cannot lock {shown}"))?;
    for _ in 0..TRIES {
        let before = read(path, limit).with_context(|| format!("cannot read {shown}"))?;
        let text = std::str::from_utf8(before.as_deref().unwrap_or_default());
        let text =
            text.map_err(|_| CommandError::failure(format!("cannot read {shown}: not UTF-8")))?;
        let after = edit_text(text, &mut change)?;
        if after == text {
            return Ok(false);
        }
        let exchanged = exchange(path, before.as_deref(), after.as_bytes(), access);
        match exchanged.with_context(|| format!("cannot write {shown}"))? {
            Exchanged::Done => return Ok(true),
            Exchanged::Changed => {}
        }
    }
    Err(CommandError::failure(format!(
        "cannot write {shown}: another program keeps changing it"
    )))
}

/// Locks a file for our processes, in the user's data directory: nothing is left beside the file.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let Some(data) = environment::data_directory() else {
        return Ok(None);
    };
    let directory = data.join("locks");
    environment::make_private_directory(&directory)?;
    let parent = path.parent().unwrap_or(Path::new("."));
    let real = fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned());
    let name = real.join(path.file_name().unwrap_or_default());
    let name = prowess_net::short_digest([&*name.to_string_lossy()]);
    let file = File::create(directory.join(name))?;
    file.lock()?;
    Ok(Some(file))
}

/// The difference of a file, for users.
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
