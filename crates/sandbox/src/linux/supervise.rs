//! The process above the program: reports how it started and how it ended, decides about names, and ends it when
//! everything in the jail together exceeds a limit.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, wait};

use super::broker::Broker;
use super::fork::{Forked, fork};
use super::guard::adopt_orphans;
use super::init::Task;
use super::wire::{Report, Stage, send_report};
use super::{copy, program, usage};
use crate::confinement::Confinement;
use crate::error::{Refusal, Step};
use crate::excess::Excess;
use crate::layers::Layers;
use crate::limits::REPORT_BYTES;

/// How often the whole jail is looked at. A process writes about a gigabyte of memory in a second.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the program and stays until it ends. In a process namespace this is the first process, so everything else
/// in there ends with it.
pub(super) fn supervise(task: Task) -> Result<(), Refusal> {
    let confined = !matches!(task.plan.stage, Stage::Bare);
    if confined {
        // To be above all of them also where bubblewrap's process is the first.
        adopt_orphans()?;
        copy::copy_in(&task)?;
    }
    let (said, ready) = io::pipe().step("make a pipe")?;
    let (ours, theirs) = UnixStream::pair().step("make a socket")?;
    match fork().step("start a process")? {
        Forked::Child => {
            drop((said, ours));
            program::become_program(&task, ready, &theirs)
        }
        Forked::Parent(child) => {
            drop((ready, theirs));
            task.hush()?;
            let Task {
                host,
                input,
                plan,
                copied,
                ..
            } = task;
            drop(input);
            let layers = listen(said)?;
            let confinement = &plan.confinement;
            let mut family = Family {
                child,
                broker: None,
                limits: confined.then_some(confinement),
            };
            if confined {
                family.broker = Broker::receive(&ours, confinement)?;
            }
            // Without a host there is no one to report to, and the guard is about to end this process.
            let _ = send_report(&host, &Report::Started(layers));
            let (status, excess) = family.watch()?;
            if confined {
                end_all();
                copy::copy_out(confinement, copied.as_ref());
            }
            let _ = send_report(&host, &Report::Exited { status, excess });
            Ok(())
        }
    }
}

/// What the program says before it becomes the child. It then has no descriptor left to say anything with.
fn listen(said: PipeReader) -> Result<Layers, Refusal> {
    let mut text = Vec::new();
    let most = u64::from(REPORT_BYTES);
    said.take(most)
        .read_to_end(&mut text)
        .step("listen to the program")?;
    let mut layers = Err(Refusal::system(
        "start the program",
        "it ended before it began",
    ));
    for word in serde_json::Deserializer::from_slice(&text).into_iter() {
        layers = word.step("understand the program")?;
    }
    layers
}

/// The program and everything that it started.
struct Family<'a> {
    child: Pid,
    broker: Option<Broker>,
    /// For all of them together; none without a jail, where others could be among them.
    limits: Option<&'a Confinement>,
}

impl Family<'_> {
    /// Until the program ends: how, and whether we ended it.
    fn watch(&mut self) -> Result<(i32, Option<Excess>), Refusal> {
        let ended = pidfd_open(self.child, PidfdFlags::empty()).step("watch the program")?;
        let mut excess = None;
        let mut next = Instant::now() + LOOK;
        loop {
            if let Some(status) = self.bury()? {
                return Ok((status, excess));
            }
            self.wait(&ended, next.saturating_duration_since(Instant::now()))?;
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + LOOK;
            if let Some(broker) = &mut self.broker {
                broker.serve_waiting();
            }
            let created = self.broker.as_ref().map_or(0, Broker::created_files);
            if let Some(over) = self.limits.and_then(|it| usage::exceeded(it, created)) {
                excess = Some(over);
                end_all();
            }
        }
    }

    /// Waits for the program, and answers one call if there is one.
    fn wait(&mut self, ended: &OwnedFd, most: Duration) -> Result<(), Refusal> {
        let most = Timespec::try_from(most).unwrap_or_default();
        let mut ready = vec![PollFd::new(ended, PollFlags::IN)];
        if let Some(broker) = &self.broker {
            ready.push(PollFd::from_borrowed_fd(broker.as_fd(), PollFlags::IN));
        }
        match poll(&mut ready, Some(&most)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).step("watch the program"),
        }
        let asked = ready
            .get(1)
            .is_some_and(|it| it.revents().contains(PollFlags::IN));
        if asked && let Some(broker) = &mut self.broker {
            broker.serve();
        }
        Ok(())
    }

    /// Reaps the processes that ended, and tells how the program did if it was among them.
    fn bury(&self) -> Result<Option<i32>, Refusal> {
        let mut own = None;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => own = Some(status.as_raw()),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(own),
                Err(error) => return Err(error).step("wait for the program"),
            }
        }
    }
}

/// Ends everything in this process namespace but the first process and this one.
#[allow(unsafe_code, reason = "the safe call refuses to signal everybody")]
fn end_all() {
    // SAFETY: a signal touches no memory. Only called inside of a process namespace of ours, and it reaches no other.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}
