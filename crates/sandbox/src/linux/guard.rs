//! The process between the host and a jail: ends the jail when the host lets go, and ends when it is empty.

use std::fs;
use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    set_parent_process_death_signal, wait, waitpid,
};

use super::fork::{Forked, fork};
use super::init::{Task, hide, hung_up};
use super::supervise;
use crate::error::{Refusal, Step};

/// Waits until `child` and everything that came from it is gone.
pub(super) fn guard(task: Task, child: Pid) -> Result<(), Refusal> {
    task.hush()?;
    let Task {
        host,
        input,
        null,
        plan,
        copied,
    } = task;
    // The host must notice when the program closes its input.
    drop((input, null, plan, copied));
    let ended = pidfd_open(child, PidfdFlags::empty()).step("watch the child")?;
    let mut ready = [
        PollFd::new(&ended, PollFlags::IN),
        PollFd::new(&host, PollFlags::RDHUP),
    ];
    rustix::io::retry_on_intr(|| poll(&mut ready, None)).step("watch the child")?;
    let [_, host_gone] = &ready;
    if !host_gone.revents().is_empty() {
        let _ = kill_process(child, Signal::KILL);
    }
    let _ = rustix::io::retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()));
    end_orphans();
    Ok(())
}

/// Kills and buries what was handed down to this process, until there is nothing.
fn end_orphans() {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => {
                for orphan in children().unwrap_or_default() {
                    let _ = kill_process(orphan, Signal::KILL);
                }
                let _ = wait(WaitOptions::empty());
            }
            Err(_) => return,
        }
    }
}

fn children() -> io::Result<Vec<Pid>> {
    let text = fs::read_to_string("/proc/thread-self/children")?;
    let numbers = text.split_ascii_whitespace();
    Ok(numbers
        .filter_map(|number| Pid::from_raw(number.parse().ok()?))
        .collect())
}

/// To become the parent of what loses its own.
pub(super) fn adopt_orphans() -> Result<(), Refusal> {
    set_child_subreaper(Some(getpid())).step("adopt orphans")
}

/// To be killed with the parent, whose end of `alive` closes with it.
pub(super) fn die_with_parent(alive: &io::PipeReader) -> Result<(), Refusal> {
    set_parent_process_death_signal(Some(Signal::KILL)).step("tie the jail to its guard")?;
    if hung_up(alive) {
        // It was gone before we could ask for the signal.
        return Err(Refusal::system(
            "tie the jail to its guard",
            "the guard is gone",
        ));
    }
    Ok(())
}

/// No jail, as the user asked: a process group, limits and an empty environment.
pub(super) fn bare(task: Task) -> Result<(), Refusal> {
    hide()?;
    adopt_orphans()?;
    let (alive, life) = io::pipe().step("make a pipe")?;
    match fork().step("start a process")? {
        Forked::Child => {
            drop(life);
            die_with_parent(&alive)?;
            supervise::supervise(task)
        }
        Forked::Parent(child) => {
            drop(alive);
            guard(task, child)
        }
    }
}
