//! What is there of a project's protected files.

use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::protection::{is_above_protected, is_protected, is_repository};

/// Directories that are looked into for what is there already. What lies beyond is still refused by its name.
const DIRECTORIES: usize = 2_000;
/// Entries of them all.
const ENTRIES: usize = 40_000;
/// Bytes of a file that says where a repository is.
const POINTER_BYTES: u64 = 4096;

/// Something protected in a project.
struct ProtectedPlace {
    path: PathBuf,
    is_repository: bool,
}

/// What is there of protected files below a project, outer ones first, with what they lead to inside of the project.
/// `project` is a path without links.
pub(crate) fn protected_below(project: &Path) -> Vec<PathBuf> {
    let places = places_below(project).into_iter();
    places.map(|place| place.path).collect()
}

fn places_below(project: &Path) -> Vec<ProtectedPlace> {
    let mut found = Vec::new();
    let mut left = VecDeque::from([project.to_owned()]);
    let (mut directories, mut entries) = (0, 0);
    while let Some(directory) = left.pop_front() {
        directories += 1;
        let Ok(listed) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in listed.flatten() {
            entries += 1;
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            let below = path.strip_prefix(project).unwrap_or(&path);
            // A link can also stand for the directory that something protected lies in.
            if is_protected(below) || kind.is_symlink() && is_above_protected(below) {
                let is_repository = is_repository(&entry.file_name());
                let paths = with_target(&path, project).into_iter();
                found.extend(paths.map(|path| ProtectedPlace {
                    path,
                    is_repository,
                }));
            } else if kind.is_dir() {
                left.push_back(path);
            }
        }
        if directories >= DIRECTORIES || entries >= ENTRIES {
            break;
        }
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| {
        b.is_repository |= a.is_repository && a.path == b.path;
        a.path == b.path
    });
    found
}

/// The thing itself, or what a link leads to; and the repository that a `.git` file names.
fn with_target(path: &Path, project: &Path) -> Vec<PathBuf> {
    let Ok(real) = path.canonicalize() else {
        return Vec::new();
    };
    let named = repository_named_by(&real);
    let shared = named.as_deref().and_then(shared_by);
    let below = |path: &PathBuf| path != project && path.starts_with(project);
    [Some(real), named, shared]
        .into_iter()
        .flatten()
        .filter(below)
        .collect()
}

/// Every repository of a project, under its usual name or another.
pub fn all_repositories(project: &Path) -> Vec<PathBuf> {
    let places = places_below(project).into_iter();
    let repositories = places.filter(|place| place.is_repository);
    repositories.map(|place| place.path).collect()
}

/// Protected places of a project that have another name: what links with a protected name lead to, and repositories that a
/// `.git` file names.
pub fn protected_elsewhere(project: &Path) -> Vec<PathBuf> {
    let is_elsewhere = |path: &PathBuf| {
        let below = path.strip_prefix(project).unwrap_or(path);
        !is_protected(below)
    };
    let places = protected_below(project).into_iter();
    places.filter(is_elsewhere).collect()
}

/// The repository that the one of a worktree shares its configuration with.
fn shared_by(repository: &Path) -> Option<PathBuf> {
    let text = pointer(&repository.join("commondir"))?;
    repository.join(text.trim()).canonicalize().ok()
}

fn repository_named_by(file: &Path) -> Option<PathBuf> {
    let text = Some(file).filter(|file| file.file_name().is_some_and(is_repository));
    let text = pointer(text?)?;
    let place = text.strip_prefix("gitdir:")?.trim();
    file.parent()?.join(place).canonicalize().ok()
}

/// The text of a small regular file. The project is a stranger's: a pipe there must not be waited for.
fn pointer(path: &Path) -> Option<String> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = file.take(POINTER_BYTES + 1).read_to_string(&mut text);
    (read.ok()? as u64 <= POINTER_BYTES).then_some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    #[cfg(unix)]
    #[test]
    fn q20_repositories_under_another_name() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".bare/worktrees/main")).unwrap();
        fs::create_dir_all(root.join("main")).unwrap();
        fs::write(root.join(".bare/worktrees/main/commondir"), "../..\n").unwrap();
        fs::write(root.join("main/.git"), "gitdir: ../.bare/worktrees/main\n").unwrap();
        fs::write(root.join("guide.md"), "Be kind.").unwrap();
        std::os::unix::fs::symlink("guide.md", root.join("CLAUDE.md")).unwrap();
        let bare = [".bare", ".bare/worktrees/main"].map(|path| root.join(path));
        let mut expected = bare.to_vec();
        expected.push(root.join("guide.md"));
        assert_eq!(protected_elsewhere(&root), expected);
        let repositories = all_repositories(&root);
        assert_eq!(repositories[..2], bare);
        assert_eq!(repositories[2..], [root.join("main/.git")]);
    }

    #[cfg(unix)]
    #[test]
    fn q37_a_link_in_the_place_of_a_directory_above() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("ci/workflows")).unwrap();
        std::os::unix::fs::symlink("ci", root.join(".github")).unwrap();
        assert_eq!(protected_elsewhere(&root), [root.join("ci")]);
    }
}
