//! What a child may see and do.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::PathProblem;
use crate::limits::{Limits, SCRATCH};
use crate::protected::protected_below;

/// Where nothing may be mounted: these are made for each child, and a mount over them would undo that.
const RESERVED: &[&str] = &[
    "/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr",
];

/// What a child may see and do. Everything that is not named here is absent.
///
/// Inside there are always: the programs and libraries of the system, read-only; a few files of `/etc` without a
/// secret; a `/proc` that shows only the child; the five harmless devices; and a private `/tmp`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What it may read and run: the skill, the project, the prefix of an interpreter that is not below `/usr`.
    ///
    /// What lies below a mount of [`read_write`](Self::read_write) is read-only there as well.
    pub read_only: Vec<Mount>,
    /// What it may change.
    pub read_write: Vec<Mount>,
    /// The same for projects, in which [`protected_paths`](crate::protected_paths) are read-only.
    pub projects: Vec<Mount>,
    /// Directories that it may change in a layer that is gone with it, at their own places. Where the system has no
    /// such layers they are read-only.
    pub layered: Vec<PathBuf>,
    /// A directory of ours of which it has a copy. What it holds when the child ends by itself is copied back: files,
    /// directories and links, and no more than [`scratch`](Self::scratch) bytes of them.
    pub copied: Option<Mount>,
    /// What else it sees of this machine.
    pub view: View,
    /// Whether it has a network.
    pub network: Network,
    /// How much it may use.
    pub limits: Limits,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts, an absolute path inside.
    #[serde(with = "crate::os_path")]
    pub working_directory: PathBuf,
    /// Bytes of its `/tmp`, `/dev/shm`, layers and copied directory together.
    pub scratch: u64,
}

impl Default for Confinement {
    fn default() -> Self {
        Self {
            read_only: Vec::new(),
            read_write: Vec::new(),
            projects: Vec::new(),
            layered: Vec::new(),
            copied: None,
            view: View::System,
            network: Network::None,
            limits: Limits::default(),
            environment: Vec::new(),
            working_directory: PathBuf::from("/tmp"),
            scratch: SCRATCH,
        }
    }
}

/// A file or directory of ours, and where the child finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// An absolute path without a link in it: who can change a link could choose what is mounted.
    #[serde(with = "crate::os_path")]
    pub outside: PathBuf,
    /// An absolute path.
    #[serde(with = "crate::os_path")]
    pub inside: PathBuf,
}

impl Mount {
    /// Something of ours at a place inside.
    pub fn new(outside: impl Into<PathBuf>, inside: impl Into<PathBuf>) -> Self {
        Self {
            outside: outside.into(),
            inside: inside.into(),
        }
    }

    /// Something of ours where it is, for what knows its own path, such as an interpreter.
    pub fn same(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::new(path.clone(), path)
    }
}

/// What a child sees of this machine besides its mounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// The programs and libraries of the system.
    System,
    /// Every file that the user may read, read-only and at its own place. `/run`, `/sys` and other processes are not
    /// among them, and neither are these.
    Machine {
        /// Places that are empty inside.
        hidden: Vec<PathBuf>,
    },
}

/// Whether a child has a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// None at all, not even its own loopback.
    None,
    /// TCP and UDP on a private loopback interface.
    Loopback,
    /// TCP and UDP of this machine, loopback included; no other kind of socket.
    Host,
}

/// Whether something inside may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    ReadOnly,
    ReadWrite,
    /// Writable in a layer that is thrown away.
    Layered,
}

/// Whether nothing may be mounted at a path inside: it belongs to the system, or is the root.
pub fn is_reserved(inside: &Path) -> bool {
    inside == Path::new("/") || RESERVED.iter().any(|place| inside.starts_with(place))
}

impl Confinement {
    /// Every mount, outer ones first, with those that keep read-only what lies in something writable.
    pub(crate) fn mounts(&self) -> Vec<(Mount, Access)> {
        let changed = || self.read_write.iter().chain(&self.projects);
        let layered = self
            .layered
            .iter()
            .map(|path| (Mount::same(path), Access::Layered));
        let mut mounts: Vec<_> = layered.collect();
        mounts.extend(changed().cloned().map(|mount| (mount, Access::ReadWrite)));
        for inner in &self.read_only {
            for outer in changed() {
                if let Ok(rest) = inner.outside.strip_prefix(&outer.outside)
                    && rest.components().next().is_some()
                {
                    let shown = Mount::new(&inner.outside, outer.inside.join(rest));
                    mounts.push((shown, Access::ReadOnly));
                }
            }
            mounts.push((inner.clone(), Access::ReadOnly));
        }
        mounts.sort_by_key(|(mount, _)| mount.inside.components().count());
        mounts.dedup();
        mounts
    }

    /// The same confinement with what is there of protected names as mounts of their own.
    pub(crate) fn with_protected_names(&self) -> Self {
        let mut all = self.clone();
        for project in &self.projects {
            let found = protected_below(&project.outside).into_iter();
            all.read_only.extend(found.filter_map(|outside| {
                let rest = outside.strip_prefix(&project.outside).ok()?;
                let inside = project.inside.join(rest);
                Some(Mount { outside, inside })
            }));
        }
        all
    }

    /// What `inside` is outside, where a mount leads there.
    pub(crate) fn outside(&self, inside: &Path) -> Option<PathBuf> {
        let mounts = self.mounts();
        let mounts = mounts.iter().map(|(mount, _)| mount).rev();
        mounts.chain(&self.copied).find_map(|mount| {
            let rest = inside.strip_prefix(&mount.inside).ok()?;
            if rest.as_os_str().is_empty() {
                return Some(mount.outside.clone());
            }
            Some(mount.outside.join(rest))
        })
    }

    /// Refuses paths that would make something else of the jail than what it says.
    pub(crate) fn check(&self) -> Result<(), (PathBuf, PathProblem)> {
        let given = self.read_only.iter().chain(&self.read_write);
        for mount in given.chain(&self.projects).chain(&self.copied) {
            plain(&mount.outside)?;
            plain(&mount.inside)?;
            if is_reserved(&mount.inside) {
                return Err((mount.inside.clone(), PathProblem::Reserved));
            }
        }
        let hidden = match &self.view {
            View::System => &[],
            View::Machine { hidden } => hidden.as_slice(),
        };
        for path in self.layered.iter().chain(hidden) {
            plain(path)?;
        }
        plain(&self.working_directory)
    }
}

pub(crate) fn plain(path: &Path) -> Result<(), (PathBuf, PathProblem)> {
    if !path.is_absolute() {
        return Err((path.to_owned(), PathProblem::Relative));
    }
    let steps = path.components();
    let up = |step| matches!(step, Component::ParentDir);
    if steps.into_iter().any(up) || path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err((path.to_owned(), PathProblem::Unclear));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mount: Mount, expected: Result<(), PathProblem>) {
        let confinement = Confinement {
            read_only: vec![mount],
            ..Confinement::default()
        };
        let found = confinement.check().map_err(|(_, problem)| problem);
        assert_eq!(found, expected, "{confinement:?}");
    }

    #[test]
    fn invalid_paths_are_rejected() {
        check(Mount::new("/a", "/skill"), Ok(()));
        check(Mount::same("/tmp/x"), Ok(()));
        check(Mount::new("a", "/skill"), Err(PathProblem::Relative));
        check(Mount::new("/a", "skill"), Err(PathProblem::Relative));
        check(Mount::new("/a/../b", "/skill"), Err(PathProblem::Unclear));
        check(Mount::new("/a", "/x/../proc"), Err(PathProblem::Unclear));
        check(Mount::new("/a", "/"), Err(PathProblem::Reserved));
        check(Mount::new("/a", "/etc/x"), Err(PathProblem::Reserved));
        check(Mount::new("/a", "/proc"), Err(PathProblem::Reserved));
        check(Mount::new("/a", "/etcetera"), Ok(()));
    }

    #[test]
    fn read_only_paths_are_read_only_by_every_name() {
        let confinement = Confinement {
            read_only: vec![Mount::new("/p/skills/x", "/skill")],
            read_write: vec![Mount::new("/p", "/project")],
            ..Confinement::default()
        };
        let mounts = confinement.mounts();
        let shown = Mount::new("/p/skills/x", "/project/skills/x");
        assert!(mounts.contains(&(shown, Access::ReadOnly)));
        assert_eq!(mounts.len(), 3);
    }

    #[test]
    fn paths_outside() {
        let confinement = Confinement {
            read_only: vec![Mount::new("/a/skill", "/skill")],
            ..Confinement::default()
        };
        let outside = |path: &str| confinement.outside(Path::new(path));
        assert_eq!(outside("/skill/run.py"), Some("/a/skill/run.py".into()));
        assert_eq!(outside("/skill"), Some("/a/skill".into()));
        assert_eq!(outside("/skills"), None);
    }

    #[test]
    fn confinement_round_trips_through_json() {
        use std::os::unix::ffi::OsStringExt;
        let odd = PathBuf::from(OsString::from_vec(vec![b'/', 0xff, b'x']));
        let confinement = Confinement {
            read_only: vec![Mount::new(odd, "/skill")],
            environment: vec![("A".into(), "b".into())],
            ..Confinement::default()
        };
        let text = serde_json::to_string(&confinement).unwrap();
        let back: Confinement = serde_json::from_str(&text).unwrap();
        assert_eq!(back, confinement);
    }
}
