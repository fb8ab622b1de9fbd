//! The files of a project, for triggers.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::{WalkBuilder, WalkState};

use prowess_sandbox::is_repository;
use prowess_spec::manifest::{is_hidden_from, languages_of};

/// Limits of a project scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectLimits {
    /// Number of files.
    pub files: usize,
    /// Depth of directories.
    pub depth: usize,
}

impl Default for ProjectLimits {
    fn default() -> Self {
        Self {
            files: 200_000,
            depth: 32,
        }
    }
}

/// Names at the root that describe a project.
const NAMES: usize = 40;

/// The files of a project: sorted paths relative to its root, separated by `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    files: Vec<String>,
    complete: bool,
}

impl Project {
    /// Scans a directory without ignored files and repositories.
    pub fn scan(root: &Path, limits: &ProjectLimits) -> Self {
        let found = Mutex::new(Vec::new());
        let too_many = AtomicBool::new(false);
        let walk = WalkBuilder::new(root)
            .max_depth(Some(limits.depth))
            .require_git(false)
            .hidden(false)
            .filter_entry(|entry| !is_repository(entry.file_name()))
            .build_parallel();
        walk.run(|| {
            let mut batch = Batch::new(&found, limits.files, &too_many);
            let root = root.to_owned();
            Box::new(move |entry| {
                let Ok(entry) = entry else {
                    return WalkState::Continue;
                };
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    let path = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                    // No pattern matches a name that is not UTF-8.
                    if let Some(path) = path.to_str() {
                        return batch.push(path.replace('\\', "/"));
                    }
                }
                WalkState::Continue
            })
        });
        let mut files = found
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        files.sort_unstable();
        files.truncate(limits.files);
        Self {
            files,
            complete: !too_many.into_inner(),
        }
    }

    /// Creates a project from known files.
    pub fn new(files: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut files: Vec<String> = files.into_iter().map(Into::into).collect();
        files.sort_unstable();
        Self {
            files,
            complete: true,
        }
    }

    /// The files.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Words about the project: its languages, and the names of files and directories at its root.
    pub fn words(&self) -> Vec<String> {
        let languages = self.languages().into_iter().map(str::to_owned);
        let roots = self.visible().filter_map(|path| path.split('/').next());
        let roots: BTreeSet<&str> = roots.collect();
        let roots = roots.into_iter().take(NAMES).map(str::to_owned);
        languages.chain(roots).collect()
    }

    /// The files that are not hidden.
    fn visible(&self) -> impl Iterator<Item = &str> {
        self.files().filter(|path| !is_hidden_from(path, ""))
    }

    /// The programming languages of the files that are not hidden.
    pub fn languages(&self) -> BTreeSet<&'static str> {
        languages_of(self.visible())
    }

    /// Whether the scan reached no limit.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// The files that one thread found, sent in batches.
struct Batch<'s> {
    files: Vec<String>,
    all: &'s Mutex<Vec<String>>,
    limit: usize,
    too_many: &'s AtomicBool,
}

impl<'s> Batch<'s> {
    fn new(all: &'s Mutex<Vec<String>>, limit: usize, too_many: &'s AtomicBool) -> Self {
        Self {
            files: Vec::new(),
            all,
            limit,
            too_many,
        }
    }

    fn push(&mut self, path: String) -> WalkState {
        self.files.push(path);
        if self.files.len() >= 512 {
            self.hand_over();
        }
        if self.too_many.load(Ordering::Relaxed) {
            WalkState::Quit
        } else {
            WalkState::Continue
        }
    }

    fn hand_over(&mut self) {
        let mut all = self
            .all
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        all.append(&mut self.files);
        if all.len() > self.limit {
            self.too_many.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}
