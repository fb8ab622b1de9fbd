//! The files of a project, for triggers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use prowess_spec::manifest::{is_hidden_from, languages_of};

use crate::project_walk::{HiddenFiles, IgnoredFiles, ProjectWalk};

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
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let walk = ProjectWalk {
            root: &root,
            hidden: HiddenFiles::Included,
            ignored: IgnoredFiles::Omitted,
            depth: limits.depth,
            limit: limits.files,
        };
        let walked = walk.files(&|_, kind| kind.is_file());
        // No pattern matches a name that is not UTF-8.
        let paths = walked
            .files
            .iter()
            .filter_map(|path| path.strip_prefix(&root).ok()?.to_str());
        let mut files: Vec<String> = paths.map(|path| path.replace('\\', "/")).collect();
        files.sort_unstable();
        files.truncate(limits.files);
        Self {
            files,
            complete: !walked.is_incomplete,
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
