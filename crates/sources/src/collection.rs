//! Collections: which directories they are, and the content of `COLLECTION.md`.

use prowess_core::CollectionPath;

/// The name of the file.
pub(crate) const COLLECTION_FILE: &str = "COLLECTION.md";
/// Bytes of it that are read.
pub(crate) const COLLECTION_BYTES: u64 = 1024;

/// The description: the first line of text.
pub(crate) fn description(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.trim_start_matches(['#', ' ']).to_owned())
}

/// What the root of a source is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// A directory of skills.
    #[default]
    Skills,
    /// A repository or a package that may have its skills in `skills`.
    Repository,
}

/// The collection of the skills in a directory; directories in which an agent or a repository keeps its skills are no
/// part of it.
pub(crate) fn collection_of(directory: &str, root: Root) -> Option<CollectionPath> {
    if directory.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = directory.split('/').collect();
    if root == Root::Repository && parts.first() == Some(&"skills") {
        parts.remove(0);
    }
    let hidden = parts.iter().position(|part| part.starts_with('.'));
    if let Some(start) = hidden {
        let rest = parts.get(start..).unwrap_or_default();
        let end = rest.iter().position(|part| *part == "skills");
        parts.drain(start..=start + end.unwrap_or(0));
    }
    CollectionPath::from_directories(parts)
}

/// The directory above a skill.
pub(crate) fn parent(directory: &str) -> &str {
    let above = directory.rsplit_once('/');
    above.map_or("", |(above, _)| above)
}
