//! The host's side: starts the launcher, hands it the plan, and waits until the program runs.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{self, ChildStdin, Stdio};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::leash::Leash;
use super::system;
use super::wire::{Job, Plan, Report, Stage, receive_report, send_plan};
use crate::child::Child;
use crate::command::{Command, Launcher};
use crate::confinement::Confinement;
use crate::error::{Refusal, SandboxError};
use crate::layers::Isolation;
use crate::limits::START_SECONDS;

/// What came of a try: a child, or the step that failed.
pub(crate) type Tried = Result<Child, Refusal>;

/// Starts a command in one way to isolate it. The outer error is about the launcher, and no other way would help.
pub(crate) fn start(
    launcher: &Launcher,
    isolation: Isolation,
    command: &Command,
    confinement: &Confinement,
) -> Result<Tried, SandboxError> {
    let job = Job::Run(command.clone());
    let stage = match isolation {
        Isolation::Namespaces => Stage::Direct,
        Isolation::Bubblewrap => match system::bubblewrap() {
            Some(program) => Stage::Bubblewrap(program),
            None => return Ok(Err(absent())),
        },
        Isolation::None => Stage::Bare,
        Isolation::Seatbelt => {
            let reason = "seatbelt is not available on Linux";
            return Ok(Err(Refusal::system("isolate the child", reason)));
        }
    };
    let confinement = confinement.clone();
    let launcher = launcher.clone();
    launch(&Plan::new(stage, job, confinement, launcher))
}

pub(super) fn absent() -> Refusal {
    Refusal::system("run bubblewrap", "it is not installed")
}

/// Runs a plan. Nothing here runs between a fork and an exec of this process, which may have many threads.
pub(super) fn launch(plan: &Plan) -> Result<Tried, SandboxError> {
    let launcher = |source| SandboxError::Launcher {
        launcher: plan.launcher.program.clone(),
        source,
    };
    let (ours, theirs) = UnixStream::pair().map_err(launcher)?;
    let (input, stdin) = io::pipe().map_err(launcher)?;
    let mut process = process::Command::new(&plan.launcher.program)
        .args(&plan.launcher.arguments)
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(launcher)?;
    let stdin = ChildStdin::from(OwnedFd::from(stdin));
    match converse(&ours, plan, &input) {
        Ok(Report::Started(layers)) => {
            let leash = Leash::new(ours);
            Ok(Ok(Child::new(process, Some(stdin), leash, layers)))
        }
        outcome => {
            // Whatever the launcher is up to, it ends with the socket; unless it is not one of ours.
            drop(ours);
            let _ = process.kill();
            let _ = process.wait();
            match outcome {
                Ok(Report::Refused(refusal)) => Ok(Err(refusal)),
                Ok(_) => Err(launcher(io::ErrorKind::InvalidData.into())),
                Err(source) => Err(launcher(source)),
            }
        }
    }
}

fn converse(socket: &UnixStream, plan: &Plan, input: &impl AsFd) -> io::Result<Report> {
    let patience = Some(Duration::from_secs(START_SECONDS));
    socket.set_read_timeout(patience)?;
    socket.set_write_timeout(patience)?;
    let copied = plan.confinement.copied.as_ref();
    let copied = copied.map(|mount| open_directory(&mount.outside));
    let copied = copied.transpose()?;
    let mut descriptors = vec![input.as_fd()];
    descriptors.extend(copied.as_ref().map(AsFd::as_fd));
    send_plan(socket, plan, &descriptors)?;
    let report = receive_report(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    socket.set_read_timeout(None)?;
    Ok(report)
}

fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}
