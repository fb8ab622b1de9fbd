//! Which entries of an archive are skills.

use std::collections::BTreeMap;

use prowess_archive::ArchiveEntry;
use prowess_core::Snapshot;
use prowess_spec::is_skill_file;

use crate::collection::{COLLECTION_FILE, Root, collection_of, description};

/// Every directory with a file that makes it a skill, and those files; none lies in another one.
pub(super) fn skill_directories(texts: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<&str>> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in texts.keys() {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let hidden =
            |part: &str| part.starts_with('.') || part == "node_modules" || part == "__MACOSX";
        if is_skill_file(name) && !directory.split('/').any(hidden) {
            found.entry(directory.to_owned()).or_default().push(name);
        }
    }
    let directories: Vec<String> = found.keys().cloned().collect();
    found.retain(|directory, _| {
        let is_above = |other: &String| {
            other != directory
                && (other.is_empty()
                    || directory
                        .strip_prefix(other.as_str())
                        .is_some_and(|rest| rest.starts_with('/')))
        };
        !directories.iter().any(is_above)
    });
    found
}

/// Adds the text of a `COLLECTION.md` to its directory.
pub(super) fn describe(path: &str, bytes: &[u8], snapshot: &mut Snapshot) {
    let directory = path
        .strip_suffix(COLLECTION_FILE)
        .and_then(|path| path.strip_suffix('/'));
    if let Some(directory) = directory
        && let Some(collection) = collection_of(directory, Root::Repository)
        && let Some(line) = description(bytes)
    {
        snapshot.collections.insert(collection, line);
    }
}

pub(super) fn file_name(entry: &ArchiveEntry) -> &str {
    let path = entry.path.as_str();
    path.rsplit('/').next().unwrap_or(path)
}
