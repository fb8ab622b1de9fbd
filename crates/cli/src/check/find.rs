//! Finding the skills below the paths that a person names.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_spec::{MANIFEST_FILE, SKILL_FILE, is_skill_file};
use rayon::Scope;
use rayon::slice::ParallelSliceMut;

use super::read;
use super::report::{Problem, SkillReport};
use crate::target::{self, PathKind};

/// Directories below a named path that are followed.
const DEPTH: usize = 32;
/// Directories that one task looks at.
const CHUNK: usize = 64;

/// The spelling that other clients accept as well.
const LOWER_CASE: &str = "skill.md";

/// A skill's folder and what in it matters.
#[derive(Debug)]
pub(crate) struct SkillDirectory {
    pub(crate) path: PathBuf,
    /// Spellings of `SKILL.md`.
    pub(crate) skill_files: Vec<String>,
    /// The file with the standard's spelling, already open.
    pub(crate) standard: Option<File>,
    pub(crate) has_manifest: bool,
}

/// The results, in the order of their paths.
#[derive(Default)]
pub(crate) struct SearchResults {
    pub(crate) skills: Vec<SkillReport>,
    pub(crate) problems: Vec<Problem>,
}

/// The callback for a skill.
pub(crate) type Check<'c> = dyn Fn(SkillDirectory) -> Result<SkillReport, Problem> + Sync + 'c;

/// Checks the skills at and below `paths`, each once however many ways lead to it.
pub(crate) fn skills(paths: &[PathBuf], check: &Check<'_>) -> SearchResults {
    let search = Search {
        check,
        state: Mutex::default(),
    };
    rayon::scope(|scope| {
        for path in paths {
            search.named(scope, path);
        }
    });
    // Links wait until every real directory is known, so that a skill keeps its own path.
    loop {
        let mut links = std::mem::take(&mut search.lock().links);
        if links.is_empty() {
            break;
        }
        links.sort();
        for (path, depth) in links {
            rayon::scope(|scope| search.visit_named(scope, &path, depth));
        }
    }
    let mut found = std::mem::take(&mut search.lock().found);
    found
        .skills
        .par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.problems.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

struct Search<'c> {
    check: &'c Check<'c>,
    state: Mutex<SearchState>,
}

#[derive(Default)]
struct SearchState {
    found: SearchResults,
    links: Vec<(PathBuf, usize)>,
    seen: HashSet<Identity>,
}

impl Search<'_> {
    /// A panic in another thread would end the program anyway; its half-done list is still a list.
    fn lock(&self) -> MutexGuard<'_, SearchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problem(&self, path: &Path, message: String, hint: Option<&'static str>) {
        let path = path.display().to_string();
        self.lock().found.problems.push(Problem {
            path,
            message,
            hint,
        });
    }

    fn unreadable(&self, path: &Path, error: &io::Error, hint: Option<&'static str>) {
        self.problem(
            path,
            format!("cannot read {}: {error}", path.display()),
            hint,
        );
    }

    fn visit_named<'scope>(&'scope self, scope: &Scope<'scope>, path: &Path, depth: usize) {
        match identity(path) {
            Ok(identity) if self.lock().seen.insert(identity) => {
                let mut found = SearchResults::default();
                self.look(scope, path, identity, depth, &mut found);
                self.add(found);
            }
            Ok(_) => {}
            Err(error) => self.unreadable(path, &error, None),
        }
    }

    /// A path from the command line: a skill's file, a skill, or a directory to search.
    fn named<'scope>(&'scope self, scope: &Scope<'scope>, path: &Path) {
        match target::kind(path) {
            Ok(PathKind::Directory(directory)) => self.visit_named(scope, &directory, 0),
            Ok(PathKind::Archive | PathKind::Other) => self.problem(
                path,
                format!("{} is not a skill", path.display()),
                Some(target::EXPECTED),
            ),
            Err(error) => {
                let hint = match error.kind() {
                    io::ErrorKind::NotFound => Some("check the spelling of the path"),
                    _ => None,
                };
                self.unreadable(path, &error, hint);
            }
        }
    }

    /// Visits a directory that was not visited yet.
    fn visit<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        entries: &[DirEntry],
        parent: Identity,
        depth: usize,
    ) {
        let mut real = Vec::with_capacity(entries.len());
        let mut links = Vec::new();
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() && path.is_dir() => links.push((path, depth)),
                Ok(kind) if kind.is_dir() => real.push((path, entry_identity(entry, parent))),
                Ok(_) => {}
                Err(error) => self.unreadable(&path, &error, None),
            }
        }
        let is_searched = |path: &PathBuf| is_searched(path);
        links.retain(|(path, _)| is_searched(path));
        real.retain(|(path, _)| is_searched(path));
        // One lock for all of them, before and after.
        {
            let mut state = self.lock();
            state.links.append(&mut links);
            real.retain(|(_, identity)| state.seen.insert(*identity));
        }
        let mut found = SearchResults::default();
        for (path, identity) in real {
            self.look(scope, &path, identity, depth, &mut found);
        }
        self.add(found);
    }

    fn add(&self, mut found: SearchResults) {
        let all = &mut self.lock().found;
        all.skills.append(&mut found.skills);
        all.problems.append(&mut found.problems);
    }

    /// Checks the skill in a directory, or descends into it.
    fn look<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        path: &Path,
        identity: Identity,
        depth: usize,
        found: &mut SearchResults,
    ) {
        let listed = match probe(path) {
            Ok(Some(skill)) => Ok((Some(skill), Vec::new())),
            Ok(None) => list(path),
            Err(error) => Err(error),
        };
        let mut entries = match listed {
            Ok((None, entries)) => entries,
            Ok((Some(skill), _)) => {
                return match (self.check)(skill) {
                    Ok(report) => found.skills.push(report),
                    Err(problem) => found.problems.push(problem),
                };
            }
            Err(error) => return self.unreadable(path, &error, None),
        };
        if depth >= DEPTH {
            let message = format!(
                "{} is nested more than {DEPTH} directories deep",
                path.display()
            );
            return self.problem(path, message, Some("pass a directory closer to the skills"));
        }
        while !entries.is_empty() {
            let chunk = entries.split_off(entries.len().saturating_sub(CHUNK));
            scope.spawn(move |scope| self.visit(scope, &chunk, identity, depth + 1));
        }
    }
}

/// A skill with the standard's file name, found without listing its directory.
fn probe(path: &Path) -> io::Result<Option<SkillDirectory>> {
    let standard = match read::open(path, SKILL_FILE) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut skill_files = vec![SKILL_FILE.to_owned()];
    if let Ok(lower) = fs::symlink_metadata(path.join(LOWER_CASE))
        && !is_same_file(&standard.metadata()?, &lower)
    {
        skill_files.push(LOWER_CASE.to_owned());
    }
    Ok(Some(SkillDirectory {
        path: path.to_owned(),
        skill_files,
        standard: Some(standard),
        has_manifest: fs::symlink_metadata(path.join(MANIFEST_FILE)).is_ok(),
    }))
}

/// A directory: a skill, or a directory with entries to visit.
fn list(path: &Path) -> io::Result<(Option<SkillDirectory>, Vec<DirEntry>)> {
    let mut skill = SkillDirectory {
        path: path.to_owned(),
        skill_files: Vec::new(),
        standard: None,
        has_manifest: false,
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        match entry.file_name().to_str() {
            Some(name) if is_skill_file(name) => skill.skill_files.push(name.to_owned()),
            Some(MANIFEST_FILE) => skill.has_manifest = true,
            _ => entries.push(entry),
        }
    }
    let is_skill = !skill.skill_files.is_empty() || skill.has_manifest;
    Ok((is_skill.then_some(skill), entries))
}

/// Hidden directories are skipped unless they are where some agent keeps skills.
fn is_searched(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == "node_modules" {
        return false;
    }
    !name.starts_with('.') || name == ".skills" || path.join("skills").is_dir()
}

/// The identity of a directory: device and inode, or a substitute.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The identity of a directory below one on the same device, without asking for it.
#[cfg(unix)]
fn entry_identity(entry: &DirEntry, parent: Identity) -> Identity {
    use std::os::unix::fs::DirEntryExt;
    (parent.0, entry.ino())
}

/// Where case does not matter, two spellings are one file.
#[cfg(unix)]
fn is_same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(path)?.hash(&mut hasher);
    Ok((0, hasher.finish()))
}

#[cfg(not(unix))]
fn entry_identity(entry: &DirEntry, parent: Identity) -> Identity {
    identity(&entry.path()).unwrap_or(parent)
}
