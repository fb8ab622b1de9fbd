//! `.env` files: they hold the secrets of projects, and a command may read those of its own project only.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories that are searched, the ones near the top first.
const DIRECTORIES: usize = 50_000;
/// Directories of packages and builds. They are most of a home directory and hold nothing that the user wrote.
const SKIPPED: &[&str] = &[
    "node_modules",
    "target",
    "__pycache__",
    "site-packages",
    ".git",
    ".cache",
    ".cargo",
    ".rustup",
    ".npm",
    ".gradle",
    ".m2",
];
/// Where servers keep projects.
const SYSTEM: &[&str] = &["/srv", "/opt", "/var/www"];

/// Whether a name is that of a file with variables for a program; not the example of one.
pub(super) fn is_env(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| match name.strip_prefix(".env") {
        Some("" | ".local") => true,
        Some(".example" | ".sample" | ".template") | None => false,
        Some(rest) => rest.starts_with('.'),
    })
}

/// The `.env` files in the home directory, beside the project and where servers keep projects. Links are not followed:
/// what they lead to is hidden where it is.
pub(super) fn env_files(home: Option<&Path>, project: &Path) -> Vec<PathBuf> {
    let beside = project.parent().filter(|parent| parent.parent().is_some());
    let roots = [home, beside].into_iter().flatten();
    let roots = roots.chain(SYSTEM.iter().map(Path::new));
    let mut waiting: VecDeque<PathBuf> = roots.map(Path::to_owned).collect();
    let mut found = Vec::new();
    for _ in 0..DIRECTORIES {
        let Some(directory) = waiting.pop_front() else {
            break;
        };
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            let name = entry.file_name();
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                waiting.push_back(path);
            } else if kind.is_file() && is_env(&path) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, expected) in [
            (".env", true),
            (".env.local", true),
            (".env.production", true),
            (".env.example", false),
            (".envrc", false),
            ("env", false),
        ] {
            assert_eq!(is_env(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn q17_env_files_are_found_at_any_depth() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for path in ["a/b/c/d/e/.env", "a/node_modules/x/.env", ".env.prod"] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "").unwrap();
        }
        std::os::unix::fs::symlink(home.path(), at("a/loop")).unwrap();
        let mut found = env_files(Some(home.path()), Path::new("/project"));
        found.retain(|path| path.starts_with(home.path()));
        found.sort();
        assert_eq!(found, [at(".env.prod"), at("a/b/c/d/e/.env")]);
    }
}
