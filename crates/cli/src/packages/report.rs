//! What other commands say about installed skills.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use prowess_core::{Scope, Skill};
use prowess_registry::{
    LockFile, LockedSkill, PackageName, PackageReference, compare, is_same_registry, leftovers,
    plugin_files_in,
};
use prowess_spec::SkillName;
use serde::Serialize;
use url::Url;

use super::import::other_path;
use super::inspect::plural;
use super::installed::{DiskState, disk_states};
use super::interrupted::{WAITING_HINT, note_waiting};
use super::session::{ScopeName, Session};
use crate::arguments::Global;
use crate::configuration;

/// What `info` says about how a skill came here.
#[derive(Default, Serialize)]
pub(crate) struct PackageInfo {
    package: Option<PackageState>,
    edits: Vec<String>,
}

impl PackageInfo {
    /// Names and values.
    pub(crate) fn rows(&self) -> Vec<(&'static str, &str)> {
        match &self.package {
            Some(PackageState::Installed {
                source,
                resolved,
                digest,
            }) => vec![
                ("origin", source),
                (
                    if matches!(source.parse(), Ok(PackageReference::Registry { .. })) {
                        "release"
                    } else {
                        "commit"
                    },
                    resolved.as_deref().unwrap_or_default(),
                ),
                ("lock digest", digest),
            ],
            Some(PackageState::Unmanaged) => vec![("package", "unmanaged")],
            None => Vec::new(),
        }
    }

    /// The edited files in one line.
    pub(crate) fn edits(&self) -> String {
        self.edits.join(", ")
    }
}

/// The lock files of this project and of the user.
#[derive(Default)]
pub(crate) struct PackageStates {
    project: Option<LockFile>,
    user: Option<LockFile>,
}

/// How a skill came here.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub(crate) enum PackageState {
    /// It is in the lock file.
    Installed {
        source: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        resolved: Option<String>,
        digest: String,
    },
    /// Other tools or people put it here.
    Unmanaged,
}

impl PackageState {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Installed { .. } => "installed",
            Self::Unmanaged => "unmanaged",
        }
    }
}

impl PackageStates {
    /// Reads the lock files; one that cannot be used says nothing, and `doctor` says why.
    pub(crate) fn read(global: &Global) -> Self {
        let lock = |scope| {
            let session = Session::open(scope, global).ok()?;
            let has_any = session.place.lock_path().exists() || other_path(&session).exists();
            has_any.then(|| session.lock().ok())?
        };
        Self {
            project: lock(ScopeName::Project),
            user: lock(ScopeName::User),
        }
    }

    /// Says that a command was interrupted in one of the places.
    pub(crate) fn note_waiting(global: &Global) {
        for scope in [ScopeName::Project, ScopeName::User] {
            if let Ok(session) = Session::open(scope, global) {
                note_waiting(&session);
            }
        }
    }

    /// Whether there is anything to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.project.is_none() && self.user.is_none()
    }

    /// The state of a skill.
    pub(crate) fn of(&self, scope: Scope, name: &str) -> Option<PackageState> {
        let lock = match scope {
            Scope::Project => self.project.as_ref()?,
            Scope::User => self.user.as_ref()?,
            Scope::Builtin | Scope::Remote => return None,
        };
        Some(match find(lock, name) {
            Some(locked) => PackageState::Installed {
                source: locked.source.clone(),
                resolved: locked.resolved.clone(),
                digest: locked.digest.to_string(),
            },
            None => PackageState::Unmanaged,
        })
    }

    /// The version of a package of a registry that is installed, in this project or else for the user.
    pub(crate) fn installed_version(&self, url: &Url, name: &PackageName) -> Option<&str> {
        let locks = self.project.iter().chain(&self.user);
        let mut skills = locks.flat_map(|it| it.skills.values());
        let found = skills.find(|locked| match locked.source.parse() {
            Ok(PackageReference::Registry {
                registry: Some(registry),
                name: found,
                ..
            }) => is_same_registry(&registry, url) && found == *name,
            _ => false,
        });
        found?.resolved.as_deref()
    }

    /// The state of one skill, and what was edited in it.
    pub(crate) fn info(&self, skill: Option<Skill<'_>>, location: Option<&str>) -> PackageInfo {
        let Some(descriptor) = skill.map(|it| it.descriptor) else {
            return PackageInfo::default();
        };
        let (scope, name) = (descriptor.scope, descriptor.name());
        PackageInfo {
            package: self.of(scope, name),
            edits: location.map_or_else(Vec::new, |it| self.edits(scope, name, Path::new(it))),
        }
    }

    /// The files of an installed skill that were changed, added or removed.
    fn edits(&self, scope: Scope, name: &str, directory: &Path) -> Vec<String> {
        let lock = match scope {
            Scope::Project => self.project.as_ref(),
            _ => self.user.as_ref(),
        };
        let Some(locked) = lock.and_then(|lock| find(lock, name)) else {
            return Vec::new();
        };
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let changes = compare(&directory, &locked.files).ok().flatten();
        let changes = changes.unwrap_or_default().into_iter();
        changes
            .map(|it| format!("{} ({})", it.path, it.change))
            .collect()
    }
}

fn find<'l>(lock: &'l LockFile, name: &str) -> Option<&'l LockedSkill> {
    lock.skills.get(&SkillName::parse(name).ok()?)
}

/// Something about installed skills that `doctor` reports.
pub(crate) struct PackageProblem {
    /// Whether something does not work; otherwise it is worth knowing.
    pub(crate) is_broken: bool,
    pub(crate) name: String,
    pub(crate) detail: String,
}

/// Looks at the lock files, the skills that they name, and the links of agents.
pub(crate) fn problems(global: &Global) -> Vec<PackageProblem> {
    let scopes = [ScopeName::Project, ScopeName::User];
    let sessions = scopes.map(|scope| Session::open(scope, global).ok());
    sessions
        .into_iter()
        .flatten()
        .flat_map(|it| of_place(&it))
        .collect()
}

fn of_place(session: &Session<'_>) -> Vec<PackageProblem> {
    let mut problems = Vec::new();
    let mut add = |is_broken, name: String, detail: String| {
        problems.push(PackageProblem {
            is_broken,
            name,
            detail,
        });
    };
    if session.is_interrupted() {
        let detail = format!("a command was interrupted; {WAITING_HINT}");
        add(true, configuration::shown(&session.place.skills()), detail);
    }
    let lock_path = configuration::shown(session.place.lock_path());
    let lock = match session.lock() {
        Ok(lock) => lock,
        Err(error) => {
            add(true, lock_path, error.message);
            return problems;
        }
    };
    let skills: Vec<(SkillName, LockedSkill)> = lock.skills.into_iter().collect();
    match disk_states(session, &skills) {
        Err(error) => add(true, lock_path, error.message),
        Ok(states) => {
            for ((name, _), state) in skills.iter().zip(states) {
                match state {
                    DiskState::Unchanged => {}
                    DiskState::Missing => {
                        let detail = "not installed; `prowess sync` installs it";
                        add(true, name.to_string(), detail.to_owned());
                    }
                    DiskState::Older => {
                        let detail = "older than the lock file; `prowess sync` updates it";
                        add(true, name.to_string(), detail.to_owned());
                    }
                    DiskState::Edited(edits) => {
                        let files = plural(edits.changes.len(), "edited file");
                        add(
                            false,
                            name.to_string(),
                            format!("{files}; see `prowess verify`"),
                        );
                    }
                }
            }
        }
    }
    let mut directories = session.place.all_directories(&session.user_home());
    directories.push(session.place.skills());
    let mut seen = BTreeSet::new();
    for directory in directories {
        for link in broken_links(&directory) {
            let detail =
                "a link that leads nowhere; `prowess sync` restores its skill, or remove it";
            add(true, link, detail.to_owned());
        }
        for (name, files) in plugins(&directory, &mut seen) {
            let detail = format!("agents run it as a plugin: {}", files.join(", "));
            add(false, name, detail);
        }
        for path in leftovers(&directory) {
            let detail = "left by an interrupted command, maybe of another user; if `prowess sync` leaves it, remove it";
            add(false, configuration::shown(&path), detail.to_owned());
        }
    }
    problems
}

/// The skills of a directory that have files of a plugin; one that several links lead to, once.
fn plugins(directory: &Path, seen: &mut BTreeSet<PathBuf>) -> Vec<(String, Vec<String>)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let skills = paths.filter(|path| {
        let real = fs::canonicalize(path).ok().filter(|real| real.is_dir());
        real.is_some_and(|real| seen.insert(real))
    });
    let mut found: Vec<(String, Vec<String>)> = skills
        .map(|path| (configuration::shown(&path), plugin_files_in(&path)))
        .filter(|(_, files)| !files.is_empty())
        .collect();
    found.sort();
    found
}

fn broken_links(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let broken = entries.filter(|entry| {
        let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
        is_link && !entry.path().exists()
    });
    broken
        .map(|entry| configuration::shown(&entry.path()))
        .collect()
}
