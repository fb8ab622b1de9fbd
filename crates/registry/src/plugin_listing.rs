//! The files of a plugin in a directory that agents read.

use std::collections::VecDeque;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use prowess_archive::{limits, plugin_files};
use prowess_sources::open_without_waiting;

/// Bytes of a manifest that are read.
const MANIFEST_BYTES: u64 = 1024 * 1024;

/// The names of a skill on disk that make a plugin of it, sorted. Nothing but names and one manifest is read, and no link
/// to a directory is followed.
pub fn plugin_files_in(directory: &Path) -> Vec<String> {
    plugin_files_among(directory, &names(directory))
}

/// The same of names that are known.
pub(crate) fn plugin_files_among(directory: &Path, names: &[String]) -> Vec<String> {
    let read = |path: &str| beginning(&directory.join(path));
    let found = plugin_files(names.iter().map(String::as_str), read);
    found.into_iter().map(str::to_owned).collect()
}

/// The same, as it would be with these files.
pub fn plugin_files_with(directory: &Path, more: &[(&str, &[u8])]) -> Vec<String> {
    let on_disk = names(directory);
    let paths = on_disk.iter().map(String::as_str);
    let paths = paths.chain(more.iter().map(|(path, _)| *path));
    let read = |path: &str| {
        let new = more.iter().find(|(new, _)| *new == path);
        new.map(|(_, bytes)| bytes.to_vec())
            .or_else(|| beginning(&directory.join(path)))
    };
    let found = plugin_files(paths, read);
    found.into_iter().map(str::to_owned).collect()
}

fn beginning(path: &Path) -> Option<Vec<u8>> {
    let file = open_without_waiting(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MANIFEST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Every file and link, those near the root first, because that is where agents look.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = VecDeque::from([(PathBuf::new(), 0)]);
    while let Some((inside, depth)) = waiting.pop_front() {
        let entries = fs::read_dir(directory.join(&inside));
        for entry in entries.into_iter().flatten().flatten() {
            if names.len() + waiting.len() >= limits::NODES {
                return names;
            }
            let path = inside.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < limits::DEPTH => {
                    waiting.push_back((path, depth + 1));
                }
                _ => {
                    let path = path.to_string_lossy();
                    names.push(path.replace(std::path::MAIN_SEPARATOR, "/"));
                }
            }
        }
    }
    names
}
