//! Skills that are installed, in this project and for the user.

use std::path::PathBuf;

use prowess_registry::{
    ChangeKind, Compared, FileChange, Fingerprint, LockFile, LockedSkill, PackageTree, compare,
    compare_with_plugin,
};
use prowess_spec::{SkillName, nearest};
use rayon::prelude::*;

use super::session::{ScopeName, Session};
use crate::arguments::Global;
use crate::configuration;
use crate::error::{CommandError, Context, ErrorKind, Result};

/// The places with a lock file or unfinished changes: the one that is named, or the project and the user.
pub(super) fn sessions(scope: Option<ScopeName>, global: &Global) -> Result<Vec<Session<'_>>> {
    if let Some(scope) = scope {
        return Ok(vec![Session::open(scope, global)?]);
    }
    let mut sessions = Vec::new();
    for scope in [ScopeName::Project, ScopeName::User] {
        match Session::open(scope, global) {
            Ok(session) if session.place.lock_path().exists() || session.is_interrupted() => {
                sessions.push(session);
            }
            Ok(_) => {}
            // The home directory is not a project.
            Err(error) if error.kind == ErrorKind::Usage => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sessions)
}

/// The skills of a place that are meant: those that are named, or all.
pub(super) fn named(
    session: &Session<'_>,
    names: &[String],
) -> Result<Vec<(SkillName, LockedSkill)>> {
    let lock = session.lock()?;
    if names.is_empty() {
        return Ok(lock.skills.into_iter().collect());
    }
    let find = |text: &String| {
        let name = SkillName::parse(text).ok();
        let found = name.and_then(|name| Some((name.clone(), lock.skills.get(&name)?.clone())));
        found.ok_or_else(|| {
            let near = nearest(text, lock.skills.keys().map(SkillName::as_str)).join(", ");
            let path = configuration::shown(session.place.lock_path());
            let error = CommandError::failure(format!("`{text}` is not in {path}"));
            match near.as_str() {
                "" => error.hint("`prowess list` lists skills and where they come from"),
                near => error.hint(format!("did you mean {near}?")),
            }
        })
    };
    names.iter().map(find).collect()
}

/// Nothing is installed.
pub(super) fn nothing() -> CommandError {
    CommandError::failure("no skills were installed here with prowess")
        .hint("`prowess add SOURCE` installs skills; `prowess import` takes over existing ones")
}

/// The state of an installed skill.
pub(super) enum DiskState {
    Unchanged,
    /// The version of an earlier lock file, unedited: the lock file was changed by others since.
    Older,
    Edited(Edits),
    Missing,
}

/// Edits of a skill.
pub(super) struct Edits {
    /// The version that was edited: the one that this machine was last changed to, else that of the lock file.
    pub(super) base: LockedSkill,
    /// The differences from it.
    pub(super) changes: Vec<FileChange>,
    pub(super) origin: BaseOrigin,
}

/// How it is known which version was edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseOrigin {
    /// This machine was last changed to it.
    Applied,
    /// There is no note of it: it is the version of the lock file, or another one.
    Assumed,
}

impl Edits {
    /// Files in the directory of a skill that are no part of it, such as `.git`, `node_modules` and links: replacing the
    /// directory would remove them.
    pub(super) fn foreign(&self, tree: &PackageTree) -> Vec<&str> {
        let added = self.changes.iter();
        let added = added.filter(|it| it.change == ChangeKind::Added);
        let foreign = added.filter(|it| tree.get(&it.path).is_none());
        foreign.map(|it| it.path.as_str()).collect()
    }

    /// Refuses to replace a directory with such files.
    pub(super) fn refuse_foreign(&self, name: &SkillName, tree: &PackageTree) -> Result<()> {
        let foreign = self.foreign(tree);
        let Some(first) = foreign.first() else {
            return Ok(());
        };
        let more = match foreign.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        Err(CommandError::failure(format!(
            "`{name}` has files that are no part of a skill and would be lost: {first}{more}"
        ))
        .hint("move them away, or add `--force`"))
    }
}

/// The state of one skill.
pub(super) fn disk_state(
    session: &Session<'_>,
    applied: &LockFile,
    name: &SkillName,
    locked: &LockedSkill,
) -> Result<DiskState> {
    let path = session.place.skills().join(name.as_str());
    if std::fs::symlink_metadata(&path).is_ok_and(|it| !it.is_dir()) {
        let path = configuration::shown(&path);
        return Err(CommandError::failure(format!(
            "{path} is a link or a file, but `{name}` is installed there"
        ))
        .hint("remove it, then run `prowess sync`"));
    }
    let differences = |base: &LockedSkill| {
        compare(&path, &base.files)
            .with_context(|| format!("cannot read {}", configuration::shown(&path)))
    };
    let Some(changes) = differences(locked)? else {
        return Ok(DiskState::Missing);
    };
    if changes.is_empty() {
        return Ok(DiskState::Unchanged);
    }
    let (base, changes, origin) = match applied.skills.get(name) {
        Some(before) if before.digest != locked.digest => {
            let changes = differences(before)?.unwrap_or_default();
            if changes.is_empty() {
                return Ok(DiskState::Older);
            }
            (before, changes, BaseOrigin::Applied)
        }
        Some(_) => (locked, changes, BaseOrigin::Applied),
        None => (locked, changes, BaseOrigin::Assumed),
    };
    let base = base.clone();
    Ok(DiskState::Edited(Edits {
        base,
        changes,
        origin,
    }))
}

/// A skill on disk, as a plan sees it.
pub(super) struct SeenSkill {
    /// What its name held before anything of it was read.
    pub(super) seen: Fingerprint,
    pub(super) state: DiskState,
}

/// Looks at a skill that is about to be replaced.
pub(super) fn look_at(
    session: &Session<'_>,
    applied: &LockFile,
    name: &SkillName,
    locked: &LockedSkill,
) -> Result<SeenSkill> {
    let path = session.place.skills().join(name.as_str());
    let seen = Fingerprint::of(&path)
        .with_context(|| format!("cannot read {}", configuration::shown(&path)))?;
    let state = disk_state(session, applied, name, locked)?;
    Ok(SeenSkill { seen, state })
}

/// The same for several skills, in parallel.
pub(super) fn look_at_all(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
) -> Vec<Result<SeenSkill>> {
    let applied = session.applied();
    skills
        .par_iter()
        .map(|(name, locked)| look_at(session, &applied, name, locked))
        .collect()
}

/// Compares skills with the lock file, in parallel.
pub(super) fn disk_states(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
) -> Result<Vec<DiskState>> {
    let applied = session.applied();
    let states: Vec<Result<DiskState>> = skills
        .par_iter()
        .map(|(name, locked)| disk_state(session, &applied, name, locked))
        .collect();
    states.into_iter().collect()
}

/// The differences of skills from the lock file, and the files that make plugins of them, in parallel; `None` for one that is
/// not on disk.
pub(super) fn differences(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
) -> Result<Vec<Option<Compared>>> {
    let directory = session.place.skills();
    let found: Vec<Result<Option<Compared>>> = skills
        .par_iter()
        .map(|(name, locked)| {
            let path = directory.join(name.as_str());
            compare_with_plugin(&path, &locked.files)
                .with_context(|| format!("cannot read {}", configuration::shown(&path)))
        })
        .collect();
    found.into_iter().collect()
}

/// The directories of agents in which there may be something else than a link to a skill.
pub(super) struct AgentCopies {
    skills: PathBuf,
    directories: Vec<PathBuf>,
}

impl AgentCopies {
    pub(super) fn of(session: &Session<'_>) -> Self {
        Self {
            skills: session.place.skills(),
            directories: session.place.all_directories(&session.user_home()),
        }
    }

    /// What agents read instead of a skill, because it is neither a link to it nor a copy of it.
    pub(super) fn differing(&self, skills: &[(&SkillName, &LockedSkill)]) -> Vec<String> {
        let mut differing = Vec::new();
        for directory in &self.directories {
            for (name, locked) in skills {
                let path = directory.join(name.as_str());
                let Ok(found) = std::fs::symlink_metadata(&path) else {
                    continue;
                };
                let is_same = if found.is_symlink() {
                    let own = std::fs::canonicalize(self.skills.join(name.as_str()));
                    std::fs::canonicalize(&path).ok() == own.ok()
                } else {
                    matches!(compare(&path, &locked.files), Ok(Some(changes)) if changes.is_empty())
                };
                if !is_same {
                    differing.push(configuration::shown(&path));
                }
            }
        }
        differing
    }
}
