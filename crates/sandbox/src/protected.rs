//! Names in a project that only the user changes, because other programs trust and run these files.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files and directories of a project that are read-only for everything that a skill or a model does, at every depth.
/// A repository's configuration, an editor's tasks or another agent's instructions run code at the user's next step.
pub const PROTECTED_NAMES: &[&str] = &[
    ".git",
    ".hg",
    ".jj",
    "prowess.toml",
    "prowess.lock",
    "skills-lock.json",
    "AGENTS.md",
    "AGENT.md",
    "CLAUDE.md",
    "GEMINI.md",
    "copilot-instructions.md",
    ".mcp.json",
    ".envrc",
    ".vscode",
    ".agents",
    ".claude",
    ".prowess",
];

/// Those of them that file tools do not even see: what a repository knows of its remotes can hold passwords.
pub const REPOSITORY_NAMES: &[&str] = &[".git", ".hg", ".jj"];

/// Directories that are looked into for what is there already. What lies beyond is still refused by its name.
const DIRECTORIES: usize = 2_000;
/// Entries of them all.
const ENTRIES: usize = 40_000;
/// Bytes of a file that says where a repository is.
const POINTER_BYTES: u64 = 4096;

/// Whether a name is one of [`PROTECTED_NAMES`], in any case: some file systems do not tell them apart.
pub fn is_protected(name: &OsStr) -> bool {
    is_among(name, PROTECTED_NAMES)
}

/// Whether a name is one of [`REPOSITORY_NAMES`], in any case.
pub fn is_repository(name: &OsStr) -> bool {
    is_among(name, REPOSITORY_NAMES)
}

fn is_among(name: &OsStr, names: &[&str]) -> bool {
    // Both ways, as file systems fold: a long s has no lower case of its own, and is an S in capitals.
    let fold = |text: &str| text.to_uppercase().to_lowercase();
    let name = fold(&name.to_string_lossy());
    names.iter().any(|known| fold(known) == name)
}

/// What is there of them below a project, outer ones first, with what they lead to inside of the project. `project` is a
/// path without links.
pub(crate) fn protected_below(project: &Path) -> Vec<PathBuf> {
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
            if is_protected(&entry.file_name()) {
                found.extend(with_target(&entry.path(), project));
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push_back(entry.path());
            }
        }
        if directories >= DIRECTORIES || entries >= ENTRIES {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
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
    let usual = protected_below(project).into_iter();
    let usual = usual.filter(|path| path.file_name().is_some_and(is_repository));
    usual.chain(repositories_below(project)).collect()
}

/// Repositories of a project that lie in it under another name: what its `.git` files lead to.
pub fn repositories_below(project: &Path) -> Vec<PathBuf> {
    let is_named = |path: &PathBuf| {
        let below = path.strip_prefix(project).unwrap_or(path);
        !below
            .components()
            .any(|part| is_protected(part.as_os_str()))
    };
    protected_below(project)
        .into_iter()
        .filter(is_named)
        .collect()
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

    fn check(name: &str, expected: bool) {
        assert_eq!(is_protected(OsStr::new(name)), expected, "{name}");
    }

    #[test]
    fn q20_repositories_under_another_name() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".bare/worktrees/main")).unwrap();
        fs::create_dir_all(root.join("main")).unwrap();
        fs::write(root.join(".bare/worktrees/main/commondir"), "../..\n").unwrap();
        fs::write(root.join("main/.git"), "gitdir: ../.bare/worktrees/main\n").unwrap();
        let found = repositories_below(&root);
        assert_eq!(
            found,
            [root.join(".bare"), root.join(".bare/worktrees/main")]
        );
    }

    #[test]
    fn q20_names_in_any_case() {
        check(".git", true);
        check(".GIT", true);
        check("agents.MD", true);
        check("AGENT\u{17f}.md", true);
        check(".gitignore", false);
        check("git", false);
        check("src", false);
    }
}
