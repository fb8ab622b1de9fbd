//! What a child may see and do.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::PathProblem;
use crate::limits::{Limits, SCRATCH};

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
    /// Whether it has a network.
    pub network: Network,
    /// How much it may use.
    pub limits: Limits,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts, an absolute path inside.
    #[serde(with = "crate::os_path")]
    pub working_directory: PathBuf,
    /// Bytes of its `/tmp` and `/dev/shm` together.
    pub scratch: u64,
}

impl Default for Confinement {
    fn default() -> Self {
        Self {
            read_only: Vec::new(),
            read_write: Vec::new(),
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

/// Whether a child has a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// None at all, not even its own loopback.
    None,
    /// TCP and UDP of this machine, loopback included; no other kind of socket.
    Host,
}

/// Whether something inside may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    ReadOnly,
    ReadWrite,
}

impl Confinement {
    /// Every mount, outer ones first, with those that keep read-only what lies in something writable.
    pub(crate) fn mounts(&self) -> Vec<(Mount, Access)> {
        let writable = self.read_write.iter().cloned();
        let mut mounts: Vec<_> = writable.map(|mount| (mount, Access::ReadWrite)).collect();
        for inner in &self.read_only {
            for outer in &self.read_write {
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
        mounts
    }

    /// What `inside` is outside, where a mount leads there.
    pub(crate) fn outside(&self, inside: &Path) -> Option<PathBuf> {
        let mounts = self.mounts();
        mounts.iter().rev().find_map(|(mount, _)| {
            let rest = inside.strip_prefix(&mount.inside).ok()?;
            if rest.as_os_str().is_empty() {
                return Some(mount.outside.clone());
            }
            Some(mount.outside.join(rest))
        })
    }

    /// Refuses paths that would make something else of the jail than what it says.
    pub(crate) fn check(&self) -> Result<(), (PathBuf, PathProblem)> {
        for mount in self.read_only.iter().chain(&self.read_write) {
            plain(&mount.outside)?;
            plain(&mount.inside)?;
            let reserved = RESERVED.iter().any(|place| mount.inside.starts_with(place));
            if reserved || mount.inside == Path::new("/") {
                return Err((mount.inside.clone(), PathProblem::Reserved));
            }
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
    fn paths_that_are_refused() {
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
    fn what_is_read_only_is_so_by_each_of_its_names() {
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
    fn a_confinement_survives_the_wire() {
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
