//! A child under a seatbelt profile. Written without a Mac at hand: it is type-checked, and was never run. So it is not
//! among the ways that keep every promise, and starts nothing unless it is asked for by name.
//!
//! There are no mounts, so names inside are translated, and no limits, since they cannot be set from here without
//! running code between a fork and an exec.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{self, ExitStatus, Stdio};

use crate::abilities::{Abilities, Ability};
use crate::child::Child;
use crate::command::{Command, Launcher};
use crate::confinement::Confinement;
use crate::error::{Refusal, SandboxError};
use crate::layers::{Isolation, Layers, ProcessBound, Seccomp};
use crate::limits::Limits;
use crate::seatbelt::profile;
use crate::translate::translate;

const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";
const SCRATCH: &str = "/private/tmp";

pub(crate) const WAYS: &[Isolation] = &[];
pub(crate) const CLOSED: &[(Isolation, &str)] = &[(
    Isolation::Seatbelt,
    "it shares `/tmp`, bounds nothing, and leaves behind what a child started",
)];

#[allow(clippy::unnecessary_wraps, reason = "the same on each system")]
pub(crate) fn start(
    _launcher: &Launcher,
    isolation: Isolation,
    command: &Command,
    confinement: &Confinement,
) -> Result<Result<Child, Refusal>, SandboxError> {
    let inner = translate(command, confinement);
    let mut outer = match isolation {
        Isolation::Seatbelt => {
            let mut outer = process::Command::new(SANDBOX_EXEC);
            outer
                .arg("-p")
                .arg(profile(confinement, Path::new(SCRATCH)))
                .arg(&inner.program);
            outer
        }
        Isolation::None => process::Command::new(&inner.program),
        _ => {
            return Ok(Err(Refusal::system(
                "isolate the child",
                "macOS has no namespaces",
            )));
        }
    };
    let directory = confinement.outside(&confinement.working_directory);
    let spawned = outer
        .args(&inner.arguments)
        .env_clear()
        .envs(
            confinement
                .environment
                .iter()
                .map(|(key, value)| (key, value)),
        )
        .current_dir(directory.unwrap_or_else(|| confinement.working_directory.clone()))
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let layers = Layers {
        isolation,
        landlock: None,
        seccomp: Seccomp::Off,
        processes: ProcessBound::Unbounded,
    };
    match spawned {
        Ok(mut process) => {
            let stdin = process.stdin.take();
            Ok(Ok(Child::new(process, stdin, Leash, layers)))
        }
        Err(error) => Ok(Err(Refusal::request(
            format!("run `{}`", inner.program.display()),
            &error,
        ))),
    }
}

/// The process itself: what it started outlives it.
#[derive(Debug)]
pub(crate) struct Leash;

#[allow(clippy::unused_self, reason = "the same on each system")]
impl Leash {
    pub(crate) fn pull(&self, process: &mut process::Child) -> io::Result<()> {
        process.kill()
    }

    pub(crate) fn wait(&mut self, process: &mut process::Child) -> io::Result<ExitStatus> {
        process.wait()
    }

    pub(crate) fn excess(&self) -> Option<crate::excess::Excess> {
        None
    }

    pub(crate) fn try_wait(
        &mut self,
        process: &mut process::Child,
    ) -> io::Result<Option<ExitStatus>> {
        process.try_wait()
    }
}

pub(crate) fn init() -> process::ExitCode {
    process::ExitCode::FAILURE
}

pub(crate) fn lock_down(_limits: &Limits) -> Result<Layers, SandboxError> {
    Err(SandboxError::LockDown(Refusal::system(
        "lock a worker down",
        "macOS offers no call for it",
    )))
}

pub(crate) fn abilities(_launcher: &Launcher) -> Abilities {
    let linux = || Ability::missing("only Linux has it");
    Abilities {
        kernel: std::env::consts::OS.to_owned(),
        isolation: None,
        namespaces: linux(),
        bubblewrap: linux(),
        landlock: linux(),
        seccomp: linux(),
        limits: Ability::missing("not set on this system yet"),
        cgroup: linux(),
    }
}
