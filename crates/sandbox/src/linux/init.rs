//! What the launcher runs.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::process::{DumpableBehavior, set_dumpable_behavior, setsid};

use super::fork::{Descriptors, keep_streams_only};
use super::wire::{Plan, Report, Stage, receive_plan, send_report};
use super::{bubblewrap, guard, jail, supervise};
use crate::error::{Refusal, Step};

/// What a process of the launcher works with.
pub(super) struct Task {
    pub(super) plan: Plan,
    /// What the program will read.
    pub(super) input: OwnedFd,
    /// To the host.
    pub(super) host: UnixStream,
    /// For a process that is done with its streams: as long as it holds them, the host sees no end of the output.
    pub(super) null: OwnedFd,
    /// A directory of ours that the child gets a copy of.
    pub(super) copied: Option<OwnedFd>,
}

impl Task {
    pub(super) fn hush(&self) -> Result<(), Refusal> {
        rustix::stdio::dup2_stdin(&self.null).step("close the input")?;
        rustix::stdio::dup2_stdout(&self.null).step("close the output")?;
        rustix::stdio::dup2_stderr(&self.null).step("close the error output")
    }
}

pub(crate) fn init() -> ExitCode {
    match receive() {
        Ok(task) => run(task),
        // There is no one to report to.
        Err(_) => ExitCode::FAILURE,
    }
}

fn receive() -> io::Result<Task> {
    keep_streams_only(Descriptors::Close)?;
    let mut host = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    let null = OwnedFd::from(
        std::fs::File::options()
            .read(true)
            .write(true)
            .open("/dev/null")?,
    );
    rustix::stdio::dup2_stdin(&null)?;
    let (plan, descriptors) = receive_plan(&mut host)?;
    let mut descriptors = descriptors.into_iter();
    let input = descriptors.next().ok_or(io::ErrorKind::InvalidData)?;
    if let Stage::Inside = plan.stage {
        // The streams that this process was started with belong to bubblewrap; the program's came with the plan.
        let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidData);
        rustix::stdio::dup2_stdout(next()?)?;
        rustix::stdio::dup2_stderr(next()?)?;
        host = UnixStream::from(next()?);
    }
    Ok(Task {
        plan,
        input,
        host,
        null,
        copied: descriptors.next(),
    })
}

fn run(task: Task) -> ExitCode {
    let host = task.host.try_clone();
    let outcome = match task.plan.stage {
        Stage::Direct => alone().and_then(|()| jail::build(task)),
        Stage::Bubblewrap(_) => alone().and_then(|()| bubblewrap::build(task)),
        Stage::Bare => alone().and_then(|()| guard::bare(task)),
        Stage::Inside => supervise::supervise(task),
    };
    match (outcome, host) {
        (Ok(()), _) => ExitCode::SUCCESS,
        (Err(refusal), Ok(host)) => {
            let _ = send_report(&host, &Report::Refused(refusal));
            ExitCode::FAILURE
        }
        (Err(_), Err(_)) => ExitCode::FAILURE,
    }
}

/// Away from the host's terminal, its signals and its groups.
fn alone() -> Result<(), Refusal> {
    // Fails only for the leader of a group, which is away already.
    let _ = setsid();
    let _ = rustix::thread::set_thread_groups(&[]);
    rustix::process::chdir("/").step("leave the working directory")
}

/// From then on no process of the same user reads what this one holds, which is the child's environment.
pub(super) fn hide() -> Result<(), Refusal> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).step("hide the launcher")
}

/// Whether the other end is gone.
pub(super) fn hung_up(descriptor: impl AsFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut ready = [PollFd::new(&descriptor, PollFlags::empty())];
    poll(&mut ready, Some(&Timespec::default())).is_ok_and(|count| count > 0)
}
