//! The files of a project, without ignored ones and repositories.

use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use prowess_sandbox::is_repository;
use rayon::Scope;

use crate::ignore_rules::IgnoreRules;
use crate::limits::{DIRECTORY_ENTRIES, TREE_DIRECTORIES};

/// Files with names that begin with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenFiles {
    Included,
    Omitted,
}

/// Files that the rules of the project ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IgnoredFiles {
    Included,
    Omitted,
}

/// What is walked over.
pub(crate) struct ProjectWalk<'w> {
    /// The root of the project: its rules count, and nothing outside of it is read.
    pub(crate) root: &'w Path,
    pub(crate) hidden: HiddenFiles,
    pub(crate) ignored: IgnoredFiles,
    /// Directories within each other.
    pub(crate) depth: usize,
    /// Files that are found.
    pub(crate) limit: usize,
}

/// Chooses files by path and type.
pub(crate) type Accepts<'a> = dyn Fn(&Path, &FileType) -> bool + Sync + 'a;

/// What was found, in no order.
#[derive(Default)]
pub(crate) struct WalkedFiles {
    /// Real paths.
    pub(crate) files: Vec<PathBuf>,
    /// Whether a limit was reached.
    pub(crate) is_incomplete: bool,
    /// The first directory that could not be listed.
    pub(crate) unreadable: Option<io::Error>,
}

struct Walk<'w> {
    options: &'w ProjectWalk<'w>,
    accepts: &'w Accepts<'w>,
    directories: AtomicUsize,
    found: Mutex<WalkedFiles>,
}

impl ProjectWalk<'_> {
    /// What is below the root and no directory, as far as `accepts` takes it. Links are not followed.
    pub(crate) fn files(&self, accepts: &Accepts<'_>) -> WalkedFiles {
        self.files_below(self.root, accepts)
    }

    /// The same for a directory of the project, or for a single file.
    pub(crate) fn files_below(&self, start: &Path, accepts: &Accepts<'_>) -> WalkedFiles {
        if fs::symlink_metadata(start).is_ok_and(|found| found.is_file()) {
            return WalkedFiles {
                files: vec![start.to_owned()],
                ..WalkedFiles::default()
            };
        }
        let mut rules = IgnoreRules::of_project(self.root);
        let below = start.strip_prefix(self.root).unwrap_or(Path::new(""));
        let mut above: Vec<&Path> = below.ancestors().skip(1).collect();
        above.reverse();
        for directory in above {
            let directory = self.root.join(directory);
            rules = rules.in_directory(self.root, &directory, |_| true);
        }
        let walk = Walk {
            options: self,
            accepts,
            directories: AtomicUsize::new(0),
            found: Mutex::default(),
        };
        let start = start.to_owned();
        rayon::scope(|scope| walk.visit(scope, &start, &rules, 0));
        walk.found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Walk<'_> {
    fn visit<'s>(
        &'s self,
        scope: &Scope<'s>,
        directory: &Path,
        above: &Arc<IgnoreRules>,
        depth: usize,
    ) {
        if self.directories.fetch_add(1, Ordering::Relaxed) >= TREE_DIRECTORIES {
            return self.add(|found| found.is_incomplete = true);
        }
        let entries: Vec<DirEntry> = match fs::read_dir(directory) {
            Ok(entries) => entries.flatten().take(DIRECTORY_ENTRIES).collect(),
            Err(error) => {
                return self.add(|found| {
                    found.unreadable.get_or_insert(error);
                });
            }
        };
        let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let rules = above.in_directory(self.options.root, directory, has);
        let mut files = Vec::new();
        for entry in &entries {
            let (name, path) = (entry.file_name(), entry.path());
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if is_repository(&name)
                || (is_hidden && self.options.hidden == HiddenFiles::Omitted)
                || (self.options.ignored == IgnoredFiles::Omitted
                    && rules.ignores(&path, kind.is_dir()))
            {
                continue;
            }
            if kind.is_dir() && depth < self.options.depth {
                let rules = Arc::clone(&rules);
                scope.spawn(move |scope| self.visit(scope, &path, &rules, depth + 1));
            } else if !kind.is_dir() && (self.accepts)(&path, &kind) {
                files.push(path);
            }
        }
        self.add(|found| {
            found.files.append(&mut files);
            let is_cut = entries.len() == DIRECTORY_ENTRIES;
            found.is_incomplete |= found.files.len() > self.options.limit || is_cut;
            if found.is_incomplete {
                // Nothing more is listed.
                self.directories.store(TREE_DIRECTORIES, Ordering::Relaxed);
            }
        });
    }

    fn add(&self, change: impl FnOnce(&mut WalkedFiles)) {
        change(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
