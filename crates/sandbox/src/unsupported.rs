//! Systems without a sandbox of ours: everything is refused, with the reason. On Windows a job object would bound a
//! child and an app container would shut it in, and neither is written yet. Type-checked, and never run.

use std::io;
use std::process::{Child as Process, ExitCode, ExitStatus};

use crate::abilities::{Abilities, Ability};
use crate::child::Child;
use crate::command::{Command, Launcher};
use crate::confinement::Confinement;
use crate::error::{Refusal, SandboxError};
use crate::layers::{Isolation, Layers};
use crate::limits::Limits;

const REASON: &str = "this system is not supported yet";

pub(crate) const WAYS: &[Isolation] = &[];
pub(crate) const CLOSED: &[(Isolation, &str)] = &[(Isolation::None, REASON)];

#[allow(clippy::unnecessary_wraps, reason = "the same on each system")]
pub(crate) fn start(
    _launcher: &Launcher,
    _isolation: Isolation,
    _command: &Command,
    _confinement: &Confinement,
) -> Result<Result<Child, Refusal>, SandboxError> {
    Ok(Err(Refusal::system("isolate the child", REASON)))
}

/// Of no child.
#[derive(Debug)]
pub(crate) enum Leash {}

impl Leash {
    pub(crate) fn pull(&self, _process: &mut Process) -> io::Result<()> {
        match *self {}
    }

    pub(crate) fn wait(&mut self, _process: &mut Process) -> io::Result<ExitStatus> {
        match *self {}
    }

    pub(crate) fn excess(&self) -> Option<crate::excess::Excess> {
        match *self {}
    }

    pub(crate) fn try_wait(&mut self, _process: &mut Process) -> io::Result<Option<ExitStatus>> {
        match *self {}
    }
}

pub(crate) fn init() -> ExitCode {
    ExitCode::FAILURE
}

pub(crate) fn lock_down(_limits: &Limits) -> Result<Layers, SandboxError> {
    Err(SandboxError::LockDown(Refusal::system(
        "lock a worker down",
        REASON,
    )))
}

pub(crate) fn abilities(_launcher: &Launcher) -> Abilities {
    let missing = || Ability::missing(REASON);
    Abilities {
        kernel: std::env::consts::OS.to_owned(),
        isolation: None,
        namespaces: missing(),
        bubblewrap: missing(),
        landlock: missing(),
        seccomp: missing(),
        limits: missing(),
        cgroup: missing(),
    }
}
