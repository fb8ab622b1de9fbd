//! Finding the skills below the paths that a person names.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_spec::{MANIFEST_FILE, SKILL_FILE, is_skill_file};
use rayon::Scope;

use super::read;
use super::report::{Problem, SkillReport};

/// Directories below a named path that are followed.
const DEPTH: usize = 32;

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

/// What became of the skills, in the order of their paths.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) skills: Vec<SkillReport>,
    pub(crate) problems: Vec<Problem>,
}

/// What to do with a skill that was found.
pub(crate) type Check<'c> = dyn Fn(SkillDirectory) -> Result<SkillReport, Problem> + Sync + 'c;

/// Checks the skills at and below `paths`, each once however many ways lead to it.
pub(crate) fn skills(paths: &[PathBuf], check: &Check<'_>) -> Found {
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
    found.skills.sort_by(|a, b| a.path.cmp(&b.path));
    found.problems.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

struct Search<'c> {
    check: &'c Check<'c>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    found: Found,
    links: Vec<(PathBuf, usize)>,
    seen: HashSet<Identity>,
}

impl Search<'_> {
    /// A panic in another thread would end the program anyway; its half-done list is still a list.
    fn lock(&self) -> MutexGuard<'_, State> {
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
            Ok(identity) => self.visit(scope, path, identity, depth),
            Err(error) => self.unreadable(path, &error, None),
        }
    }

    /// A path from the command line: a skill's file, a skill, or a directory to search.
    fn named<'scope>(&'scope self, scope: &Scope<'scope>, path: &Path) {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                let hint = match error.kind() {
                    io::ErrorKind::NotFound => Some("check the spelling of the path"),
                    _ => None,
                };
                return self.unreadable(path, &error, hint);
            }
        };
        if metadata.is_dir() {
            return self.visit_named(scope, path, 0);
        }
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if is_skill_file(name) || name == MANIFEST_FILE {
            let parent = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            return self.visit_named(scope, parent.unwrap_or(Path::new(".")), 0);
        }
        self.problem(
            path,
            format!("{} is not a skill", path.display()),
            Some("name a directory, or a file called SKILL.md"),
        );
    }

    fn skill(&self, skill: SkillDirectory) {
        let outcome = (self.check)(skill);
        let found = &mut self.lock().found;
        match outcome {
            Ok(report) => found.skills.push(report),
            Err(problem) => found.problems.push(problem),
        }
    }

    fn visit<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        path: &Path,
        identity: Identity,
        depth: usize,
    ) {
        if let Err(error) = self.try_visit(scope, path, identity, depth) {
            self.unreadable(path, &error, None);
        }
    }

    fn try_visit<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        path: &Path,
        identity: Identity,
        depth: usize,
    ) -> io::Result<()> {
        if !self.lock().seen.insert(identity) {
            return Ok(());
        }
        if let Some(skill) = probe(path)? {
            self.skill(skill);
            return Ok(());
        }
        let listing = list(path, identity)?;
        if !listing.skill.skill_files.is_empty() || listing.skill.has_manifest {
            self.skill(listing.skill);
            return Ok(());
        }
        if depth >= DEPTH {
            let message = format!("{} is more than {DEPTH} directories deep", path.display());
            self.problem(path, message, Some("name a directory nearer to the skills"));
            return Ok(());
        }
        for (path, identity) in listing.below {
            if let Some(identity) = identity {
                scope.spawn(move |scope| self.visit(scope, &path, identity, depth + 1));
            } else if path.is_dir() {
                self.lock().links.push((path, depth + 1));
            }
        }
        Ok(())
    }
}

/// A skill with the standard's file name, found without listing its directory.
fn probe(path: &Path) -> io::Result<Option<SkillDirectory>> {
    let standard = match read::open(&path.join(SKILL_FILE)) {
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

/// What a directory holds, as far as it matters.
struct Listing {
    skill: SkillDirectory,
    /// Directories to search, each with its identity unless it is a link.
    below: Vec<(PathBuf, Option<Identity>)>,
}

fn list(path: &Path, identity: Identity) -> io::Result<Listing> {
    let mut listing = Listing {
        skill: SkillDirectory {
            path: path.to_owned(),
            skill_files: Vec::new(),
            standard: None,
            has_manifest: false,
        },
        below: Vec::new(),
    };
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_skill_file(&name) {
            listing.skill.skill_files.push(name.into_owned());
        } else if name == MANIFEST_FILE {
            listing.skill.has_manifest = true;
        } else {
            let kind = entry.file_type()?;
            let is_link = kind.is_symlink();
            if (kind.is_dir() || is_link) && is_searched(&entry.path(), &name) {
                let target = (!is_link).then(|| entry_identity(&entry, identity));
                listing.below.push((entry.path(), target));
            }
        }
    }
    Ok(listing)
}

/// Hidden directories are skipped unless they are where some agent keeps skills.
fn is_searched(path: &Path, name: &str) -> bool {
    if name == "node_modules" {
        return false;
    }
    !name.starts_with('.') || name == ".skills" || path.join("skills").is_dir()
}

/// What makes two paths the same directory: device and inode, or whatever stands for them.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The identity of a directory below one on the same device, without asking for it.
#[cfg(unix)]
fn entry_identity(entry: &fs::DirEntry, parent: Identity) -> Identity {
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
fn entry_identity(entry: &fs::DirEntry, parent: Identity) -> Identity {
    identity(&entry.path()).unwrap_or(parent)
}
