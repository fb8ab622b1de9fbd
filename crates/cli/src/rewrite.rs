//! Changes a file of the user: shows the difference first, then replaces the file atomically.

mod beneath;

use anstyle::Style;
use similar::TextDiff;

use crate::terminal;

pub(crate) use beneath::{make_directories, read, replace};

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
