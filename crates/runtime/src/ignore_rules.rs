//! The rules of a project's `.gitignore` and `.ignore` files.
//!
//! The files are strangers': the crate `ignore` matches their lines, and they are read here, because it waits for pipes and
//! reads whatever a link leads to.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use prowess_trust::{PROJECT_FILE_BYTES, read_beneath};

/// Rules of git, in any directory.
const GIT_IGNORE: &str = ".gitignore";
/// Rules of programs that search, in any directory.
const IGNORE: &str = ".ignore";
/// Rules of git that are not shared.
const EXCLUDE: &str = ".git/info/exclude";

/// The rules for what is directly in a directory.
#[derive(Debug)]
pub(crate) enum IgnoreRules {
    /// What the repository and the user exclude everywhere in a project.
    Project { exclude: Gitignore, user: Gitignore },
    /// What the files of a directory say.
    Directory {
        ignore: Gitignore,
        git: Gitignore,
        above: Arc<IgnoreRules>,
    },
}

impl IgnoreRules {
    /// The rules around a project. Files above its root say nothing about it.
    pub(crate) fn of_project(root: &Path) -> Arc<Self> {
        Arc::new(Self::Project {
            exclude: read(root, root, EXCLUDE),
            user: Gitignore::global().0,
        })
    }

    /// The rules in a directory of the project, whose own files of rules are those that it `has`.
    pub(crate) fn in_directory(
        self: &Arc<Self>,
        root: &Path,
        directory: &Path,
        has: impl Fn(&str) -> bool,
    ) -> Arc<Self> {
        let read = |name| {
            if has(name) {
                read(root, directory, name)
            } else {
                Gitignore::empty()
            }
        };
        let (ignore, git) = (read(IGNORE), read(GIT_IGNORE));
        if ignore.is_empty() && git.is_empty() {
            return Arc::clone(self);
        }
        Arc::new(Self::Directory {
            ignore,
            git,
            above: Arc::clone(self),
        })
    }

    /// Whether the nearest rule about a path ignores it. Rules of `.ignore` count before all of git's.
    pub(crate) fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let mut by_git = Match::None;
        let mut rules = self;
        loop {
            match rules {
                Self::Directory { ignore, git, above } => {
                    let found = ignore.matched(path, is_directory);
                    if !found.is_none() {
                        return found.is_ignore();
                    }
                    by_git = by_git.or(git.matched(path, is_directory));
                    rules = above;
                }
                Self::Project { exclude, user } => {
                    let found = by_git.or(exclude.matched(path, is_directory));
                    return found.or(user.matched(path, is_directory)).is_ignore();
                }
            }
        }
    }
}

/// The rules of one file; none if it is refused or absent. A line that is no pattern is passed over, as git does.
fn read(root: &Path, directory: &Path, name: &str) -> Gitignore {
    let path = directory.join(name);
    let Ok(Some(bytes)) = read_beneath(root, &path, PROJECT_FILE_BYTES) else {
        return Gitignore::empty();
    };
    let mut builder = GitignoreBuilder::new(directory);
    let text = String::from_utf8_lossy(&bytes);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
