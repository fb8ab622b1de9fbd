//! Programs of skills in sandboxes that their permissions define.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prowess_sandbox::{
    Child, Command, Confinement, Launcher, Limits, Mount, Network, Requirement, Sandbox,
};
use prowess_spec::SkillPath;
use prowess_spec::manifest::Permission;
use prowess_trust::{WorkRecords, Writing};
use tempfile::TempDir;

use super::interpreter::{Found, Places, ProgramError, for_command, for_file};
use crate::content::SkillContent;
use crate::gate::Gate;
use crate::process::{ProcessHandle, WorkerProcess, WorkerStarter, poll_exit};

/// Directory of the skill in the sandbox.
pub(crate) const SKILL: &str = "/skill";
/// Directory of the project in the sandbox.
pub(crate) const PROJECT: &str = "/project";
/// Scratch directory in the sandbox.
pub(crate) const SCRATCH: &str = "/scratch";

/// Sandboxes for programs. Clones share them.
#[derive(Clone, Debug)]
pub struct Jails {
    pub(super) sandbox: Arc<Sandbox>,
    /// The search path besides the system directories.
    search: Option<String>,
    /// The home directory, of which only single programs and versions are mounted.
    pub(super) home: Option<PathBuf>,
    /// Further secret places.
    pub(super) hidden: Vec<PathBuf>,
    /// The `.env` files on this machine: searched for once, before the first command.
    pub(super) env_files: Arc<OnceLock<Vec<PathBuf>>>,
    /// Skills that the user works on.
    work: Option<WorkRecords>,
}

impl Jails {
    /// Creates sandboxes with a launcher. `search` is the user's search path for programs; the secret places of `home`
    /// are hidden from commands.
    pub fn new(
        launcher: Launcher,
        requirement: Requirement,
        search: Option<String>,
        home: Option<PathBuf>,
    ) -> Self {
        Self {
            sandbox: Arc::new(Sandbox::new(launcher, requirement)),
            search,
            home,
            hidden: Vec::new(),
            env_files: Arc::default(),
            work: None,
        }
    }

    /// Hides more places from commands.
    #[must_use]
    pub fn hide(mut self, places: impl IntoIterator<Item = PathBuf>) -> Self {
        self.hidden.extend(places);
        self
    }

    /// Ends the user's answers about skills that they work on, when a program may have changed these.
    #[must_use]
    pub fn watched(mut self, work: Option<WorkRecords>) -> Self {
        self.work = work;
        self
    }

    /// To be called before a program is started that can write below a path, and kept until it has ended.
    pub(crate) fn writing(&self, path: &Path) -> Option<Writing> {
        self.work.as_ref().map(|work| work.writing(path))
    }

    fn places<'a>(&'a self, extra: &'a Extra) -> Places<'a> {
        Places {
            search: self.search.as_deref(),
            home: self.home.as_deref(),
            project: extra.project.as_deref(),
        }
    }
}

/// What a sandbox contains besides the skill.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// The project's directory.
    pub(crate) project: Option<PathBuf>,
    /// A directory for output files.
    pub(crate) scratch: Option<PathBuf>,
    /// Bytes that inputs take of the scratch directory, besides what a program may write.
    pub(crate) input_bytes: u64,
    /// Host files with their paths in the sandbox.
    pub(crate) files: Vec<(PathBuf, PathBuf)>,
    /// Limits.
    pub(crate) limits: Limits,
}

/// A sandboxed program of a skill, which can be started several times.
pub(crate) struct ConfinedProgram {
    jails: Jails,
    command: Command,
    confinement: Confinement,
    /// The unpacked files of the skill.
    files: Arc<TempDir>,
}

impl ConfinedProgram {
    /// A file of the skill with its interpreter.
    pub(crate) fn file(
        jails: &Jails,
        skill: &SkillContent,
        path: &SkillPath,
        gate: &Gate,
        extra: &Extra,
    ) -> Result<Self, ConfinedError> {
        let bytes = skill.file(path);
        let bytes = bytes.ok_or_else(|| ProgramError::Missing(path.as_str().to_owned()))?;
        let found = for_file(path, bytes, Path::new(SKILL), &jails.places(extra))?;
        Self::new(jails, skill, found, gate, extra)
    }

    /// A command of the manifest; words can name files of the skill.
    pub(crate) fn command(
        jails: &Jails,
        skill: &SkillContent,
        words: &[String],
        gate: &Gate,
        extra: &Extra,
    ) -> Result<Self, ConfinedError> {
        let found = for_command(words, Path::new(SKILL), &jails.places(extra))?;
        if let Some(name) = found
            .program
            .strip_prefix(SKILL)
            .ok()
            .and_then(Path::to_str)
        {
            let there = SkillPath::parse(name)
                .ok()
                .is_some_and(|it| skill.file(&it).is_some());
            if !there {
                return Err(ProgramError::Missing(name.to_owned()).into());
            }
        }
        Self::new(jails, skill, found, gate, extra)
    }

    /// A host program among the extra files.
    pub(crate) fn ours(
        jails: &Jails,
        skill: &SkillContent,
        words: &[String],
        gate: &Gate,
        extra: &Extra,
    ) -> Result<Self, ConfinedError> {
        let (program, arguments) = words.split_first().ok_or(ProgramError::Empty)?;
        let found = Found {
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            mounts: Vec::new(),
        };
        Self::new(jails, skill, found, gate, extra)
    }

    fn new(
        jails: &Jails,
        skill: &SkillContent,
        found: Found,
        gate: &Gate,
        extra: &Extra,
    ) -> Result<Self, ConfinedError> {
        let files = skill.unpack().map_err(ConfinedError::Unpack)?;
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut read_only = vec![Mount::new(real(files.path()), SKILL)];
        read_only.extend(found.mounts.into_iter().map(Mount::same));
        let ours = extra.files.iter();
        read_only.extend(ours.map(|(outside, inside)| Mount::new(real(outside), inside)));
        let scratch = extra.scratch.as_deref();
        let copied = scratch.map(|scratch| Mount::new(real(scratch), SCRATCH));
        let mut projects = Vec::new();
        if let Some(project) = &extra.project {
            let mount = Mount::new(real(project), PROJECT);
            if gate.may(Permission::FileWrite).is_ok() {
                projects.push(mount);
            } else if gate.may(Permission::FileRead).is_ok() {
                read_only.push(mount);
            }
        }
        let network = if gate.may(Permission::NetFetch).is_ok() {
            Network::Host
        } else {
            Network::None
        };
        let directory = if extra.scratch.is_some() {
            SCRATCH
        } else {
            SKILL
        };
        let plain = Confinement::default();
        let confinement = Confinement {
            // A file takes whole pages.
            scratch: plain.scratch + extra.input_bytes + extra.input_bytes / 4,
            read_only,
            projects,
            copied,
            network,
            limits: extra.limits,
            environment: environment(),
            working_directory: directory.into(),
            ..plain
        };
        Ok(Self {
            jails: jails.clone(),
            command: Command::new(found.program).arguments(found.arguments),
            confinement,
            files: Arc::new(files),
        })
    }

    /// Adds arguments.
    pub(crate) fn arguments(mut self, arguments: &[String]) -> Self {
        self.command = self.command.arguments(arguments);
        self
    }

    /// Starts the program.
    pub(crate) fn spawn(&self) -> Result<ConfinedChild, prowess_sandbox::SandboxError> {
        let projects = self.confinement.projects.iter();
        let writing = projects.filter_map(|mount| self.jails.writing(&mount.outside));
        let writing = writing.collect();
        let child = self.jails.sandbox.spawn(&self.command, &self.confinement)?;
        Ok(ConfinedChild {
            child,
            _files: Some(Arc::clone(&self.files)),
            _writing: writing,
        })
    }
}

/// Why a program cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfinedError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("cannot unpack the skill: {0}")]
    Unpack(#[source] io::Error),
}

/// A minimal environment without variables of the host.
fn environment() -> Vec<(OsString, OsString)> {
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
    ];
    let pairs = variables.into_iter();
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// A running program with its unpacked files.
pub(crate) struct ConfinedChild {
    pub(crate) child: Child,
    _files: Option<Arc<TempDir>>,
    /// After the child, whose end it waits for.
    _writing: Vec<Writing>,
}

impl ConfinedChild {
    pub(super) fn without_files(child: Child, writing: Option<Writing>) -> Self {
        Self {
            child,
            _files: None,
            _writing: writing.into_iter().collect(),
        }
    }
}

impl ProcessHandle for ConfinedChild {
    fn end(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        if let Some(status) = poll_exit(patience, || self.child.try_wait())? {
            return Ok(status);
        }
        self.child.kill()?;
        self.child.wait()
    }
}

impl WorkerStarter for ConfinedProgram {
    fn start(&self) -> io::Result<WorkerProcess> {
        let mut child = self.spawn().map_err(io::Error::other)?;
        let streams = (
            child.child.stdin.take(),
            child.child.stdout.take(),
            child.child.stderr.take(),
        );
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("missing streams"));
        };
        Ok(WorkerProcess {
            stdin,
            stdout,
            stderr,
            handle: Box::new(child),
        })
    }
}
