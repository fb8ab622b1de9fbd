//! Where skills are installed: in a project, or for a user.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use prowess_agents::{Agent, UserHome};
use prowess_spec::SkillName;
use prowess_trust::read_beneath;

use crate::lock::{LockError, LockFile};

/// The name of the lock file.
pub const LOCK_FILE: &str = "prowess.lock";
/// The directory with the skills themselves; those of other agents have links to it.
const OWN: &str = ".agents/skills";

/// A project or a user.
#[derive(Clone, Debug)]
pub struct Place {
    /// The root of the project; none for a user.
    project: Option<PathBuf>,
    home: PathBuf,
    lock: PathBuf,
}

/// Bytes of a lock file.
const LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// Why the lock file of a place cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {}", .path.display())]
pub struct LockFileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: LockFileProblem,
}

/// What is wrong with a lock file.
#[derive(Debug, thiserror::Error)]
pub enum LockFileProblem {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is invalid.
    #[error(transparent)]
    Invalid(#[from] LockError),
}

/// A directory of agents into which a skill is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDirectory {
    /// The directory.
    pub path: PathBuf,
    /// The names of the agents that read it.
    pub agents: Vec<&'static str>,
}

impl Place {
    /// A project. Its lock file is the nearest one at or above `start`, up to `root`.
    pub fn project(start: &Path, root: &Path, user: &UserHome<'_>) -> Self {
        let up = start.ancestors().take_while(|it| it.starts_with(root));
        let nearest = up.into_iter().find(|it| it.join(LOCK_FILE).exists());
        let root = nearest.unwrap_or(root);
        Self {
            project: Some(root.to_owned()),
            home: user.home.to_owned(),
            lock: root.join(LOCK_FILE),
        }
    }

    /// A user.
    pub fn user(user: &UserHome<'_>) -> Self {
        Self {
            project: None,
            home: user.home.to_owned(),
            lock: user.config.join("prowess").join(LOCK_FILE),
        }
    }

    /// Whether it is a project.
    pub fn is_project(&self) -> bool {
        self.project.is_some()
    }

    /// The root of the project, or the home directory.
    pub fn root(&self) -> &Path {
        self.project.as_deref().unwrap_or(&self.home)
    }

    /// The directory that every change must be in: a project cannot redirect it elsewhere with a link.
    pub fn within(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// The directory with the skills themselves.
    pub fn skills(&self) -> PathBuf {
        self.root().join(OWN)
    }

    /// The lock file.
    pub fn lock_path(&self) -> &Path {
        &self.lock
    }

    /// Reads the lock file; one that does not exist is empty.
    pub fn read_lock(&self) -> Result<LockFile, LockFileError> {
        let read = || -> Result<LockFile, LockFileProblem> {
            match read_lock_file(&self.lock)? {
                Some(text) => Ok(LockFile::parse(&text)?),
                None => Ok(LockFile::default()),
            }
        };
        read().map_err(|source| LockFileError {
            path: self.lock.clone(),
            source,
        })
    }

    /// The directory of an agent here.
    pub fn directory_of(&self, agent: &Agent, user: &UserHome<'_>) -> Option<PathBuf> {
        match &self.project {
            Some(root) => Some(root.join(agent.project?)),
            None => agent.user_directory(user),
        }
    }

    /// The agents that are used here: their directory is in the project, or the user has one of them.
    pub fn present(&self, user: &UserHome<'_>) -> Vec<&'static Agent> {
        let is_directory = |path: &Path| fs::metadata(path).is_ok_and(|it| it.is_dir());
        let by_user = |agent: &Agent| {
            // Everyone who installs something has `~/.agents`.
            let skills = agent.user_directory(user);
            let skills = skills.filter(|it| *it != user.home.join(OWN));
            skills
                .and_then(|it| is_directory(it.parent()?).then_some(()))
                .is_some()
        };
        let in_project = |agent: &Agent| {
            let (Some(root), Some(project)) = (&self.project, agent.project) else {
                return false;
            };
            let first = Path::new(project).components().next();
            // A directory called `data` or `skills` says nothing about agents.
            first.is_some_and(|it| {
                it.as_os_str().to_string_lossy().starts_with('.')
                    && project != OWN
                    && is_directory(&root.join(it))
            })
        };
        let present = Agent::with_skills().filter(|agent| in_project(agent) || by_user(agent));
        present.collect()
    }

    /// The directories of agents that need a link: not the one with the skills, and none that is a link to it.
    pub fn linked_directories(
        &self,
        agents: &[&'static Agent],
        user: &UserHome<'_>,
    ) -> Vec<AgentDirectory> {
        let own = real(&self.skills());
        let mut directories: Vec<AgentDirectory> = Vec::new();
        for agent in agents {
            let Some(path) = self.directory_of(agent, user) else {
                continue;
            };
            if real(&path) == own {
                continue;
            }
            match directories.iter_mut().find(|it| it.path == path) {
                Some(found) => found.agents.push(agent.name),
                None => directories.push(AgentDirectory {
                    path,
                    agents: vec![agent.name],
                }),
            }
        }
        directories
    }

    /// Every directory in which an agent may have a link to, or a copy of, a skill of this place.
    pub fn all_directories(&self, user: &UserHome<'_>) -> Vec<PathBuf> {
        let own = real(&self.skills());
        let all = Agent::with_skills().filter_map(|agent| self.directory_of(agent, user));
        let all: BTreeSet<PathBuf> = all.collect();
        let existing = all.into_iter().filter(|it| it.is_dir() && real(it) != own);
        existing.collect()
    }

    /// The target of a link in `directory` to a skill: relative where both are below the same root, so that a project can
    /// be moved and committed.
    pub fn link_target(&self, directory: &Path, name: &SkillName) -> PathBuf {
        let target = real(&self.skills()).join(name.as_str());
        relative(&real(directory), &target, &real(self.root())).unwrap_or(target)
    }
}

/// The text of a lock file, which a project may have brought; `None` if it does not exist. A link is not followed.
pub fn read_lock_file(path: &Path) -> io::Result<Option<String>> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a symbolic link"));
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let bytes = read_beneath(directory, path, LOCK_BYTES).map_err(io::Error::other)?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The real path; of what does not exist yet, as far as it does.
fn real(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = fs::canonicalize(existing) {
            let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path.to_owned()
}

/// The path from one directory to another, if both are below `root`.
fn relative(from: &Path, to: &Path, root: &Path) -> Option<PathBuf> {
    let (from, to) = (from.strip_prefix(root).ok()?, to.strip_prefix(root).ok()?);
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    let mut path = PathBuf::new();
    for _ in from.components().skip(shared) {
        path.push(Component::ParentDir);
    }
    path.extend(to.components().skip(shared));
    Some(path)
}
