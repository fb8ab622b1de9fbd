//! What is new in a version: commits, changelog, files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use prowess_policy::ContentDigest;
use prowess_registry::{LockedSkill, PackageReference, PackageTree};
use prowess_sources::GitCommit;
use prowess_spec::{SkillName, SkillPath};
use similar::{ChangeTag, TextDiff};

use crate::{rewrite, terminal};

/// Lines that are shown.
const LINES: usize = 10;
/// Bytes of a file whose difference is shown.
const DIFFERENCE_BYTES: usize = 256 * 1024;

/// What a newer version brings, as its authors say.
#[derive(Default)]
pub(super) struct News {
    commits: Vec<String>,
    /// New lines of its changelog.
    changes: Vec<String>,
}

impl News {
    pub(super) fn lines(&self) -> String {
        let mut out = String::new();
        for commit in self.commits.iter().take(LINES) {
            let _ = writeln!(out, "  - {}", terminal::one_line(commit));
        }
        if self.commits.len() > LINES {
            let _ = writeln!(out, "  - and {} more commits", self.commits.len() - LINES);
        }
        for line in self.changes.iter().take(LINES) {
            let _ = writeln!(out, "  | {}", terminal::one_line(line));
        }
        if self.changes.len() > LINES {
            let _ = writeln!(out, "  | and {} more lines", self.changes.len() - LINES);
        }
        terminal::printable(&out)
    }

    /// Adds the new lines of the changelog, where no commits are known.
    pub(super) fn add_changelog(&mut self, before: Option<&PackageTree>, after: &PackageTree) {
        let text = |tree: &PackageTree| {
            let is_changelog = |path: &str| path.eq_ignore_ascii_case("CHANGELOG.md");
            let file = tree.files().find(|(path, _)| is_changelog(path.as_str()));
            let bytes = file.map(|(_, file)| file.bytes.clone()).unwrap_or_default();
            String::from_utf8(bytes).unwrap_or_default()
        };
        if !self.commits.is_empty() {
            return;
        }
        let (before, after) = (before.map(text).unwrap_or_default(), text(after));
        let difference = TextDiff::from_lines(&before, &after);
        let added = difference.iter_all_changes();
        let added = added.filter(|change| change.tag() == ChangeTag::Insert);
        let lines = added.map(|change| change.value().trim_end().to_owned());
        self.changes = lines.filter(|line| !line.is_empty()).collect();
    }
}

/// The commits since the installed version that changed the skill, if the server tells.
pub(super) fn since(
    commit: Option<&GitCommit>,
    reference: &PackageReference,
    before: &LockedSkill,
) -> News {
    let (Some(commit), PackageReference::Git(location), Some(since)) =
        (commit, reference, &before.resolved)
    else {
        return News::default();
    };
    // It is a courtesy: an update does not depend on it.
    let commits = match commit.changes(since, location.path.as_ref()) {
        Ok(found) => found.changes.into_iter().map(|it| it.subject).collect(),
        Err(_) => Vec::new(),
    };
    News {
        commits,
        changes: Vec::new(),
    }
}

/// One line for each file that a version changes.
pub(super) fn changed_files(
    before: &BTreeMap<SkillPath, ContentDigest>,
    after: &BTreeMap<SkillPath, ContentDigest>,
) -> String {
    let mut out = String::new();
    for (path, digest) in after {
        match before.get(path) {
            None => drop(writeln!(out, "  added    {path}")),
            Some(old) if old != digest => drop(writeln!(out, "  changed  {path}")),
            Some(_) => {}
        }
    }
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        let _ = writeln!(out, "  removed  {path}");
    }
    out
}

/// The difference between two versions of a skill, as far as it is text.
pub(super) fn difference(name: &SkillName, before: &PackageTree, after: &PackageTree) -> String {
    let mut out = String::new();
    let paths = [before, after].map(|tree| tree.files().map(|(path, _)| path));
    let paths: BTreeSet<&SkillPath> = paths.into_iter().flatten().collect();
    for path in paths {
        let [old, new] = [before, after].map(|tree| {
            let file = tree.get(path.as_str());
            file.map_or(&[][..], |it| it.bytes.as_slice())
        });
        if old == new || old.len().max(new.len()) > DIFFERENCE_BYTES {
            continue;
        }
        if let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) {
            out.push_str(&rewrite::difference(&format!("{name}/{path}"), old, new));
        }
    }
    out
}
