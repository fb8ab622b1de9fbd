//! A jail that we build ourselves.

use std::fs;
use std::io;

use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::fork::{Forked, fork};
use super::guard::{die_with_parent, guard};
use super::init::{Task, hide};
use super::layout::{HOST, USER};
use super::{capabilities, loopback, root, supervise, system};
use crate::confinement::Network;
use crate::error::{Refusal, Step};
use crate::layers::ProcessBound;

/// Numbers below this are not given out again once they have been, so a lower bound would leave none.
const RESERVED_NUMBERS: u64 = 300;

/// Builds the jail and runs the plan in it.
pub(super) fn build(mut task: Task) -> Result<(), Refusal> {
    task.plan.processes = system::process_bound();
    enter_namespaces(task.plan.confinement.network)?;
    hide()?;
    let (alive, life) = io::pipe().step("make a pipe")?;
    match fork().step("start a process")? {
        Forked::Child => {
            drop(life);
            die_with_parent(&alive)?;
            inside(&mut task)?;
            supervise::supervise(task)
        }
        Forked::Parent(child) => {
            drop(alive);
            guard(task, child)
        }
    }
}

#[allow(
    unsafe_code,
    reason = "the call is unsafe for the sake of a flag that we do not pass"
)]
fn enter_namespaces(network: Network) -> Result<(), Refusal> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if network != Network::Host {
        flags |= UnshareFlags::NEWNET;
    }
    // SAFETY: the table of descriptors stays as it is, since `FILES` is not among the flags.
    unsafe { unshare_unsafe(flags) }.step("make namespaces")?;
    fs::write("/proc/self/setgroups", "deny").step("give up groups")?;
    fs::write("/proc/self/uid_map", format!("{USER} {} 1", user.as_raw())).step("map the user")?;
    fs::write("/proc/self/gid_map", format!("{USER} {} 1", group.as_raw())).step("map the group")
}

/// What the first process does before it starts another.
fn inside(task: &mut Task) -> Result<(), Refusal> {
    rustix::system::sethostname(HOST.as_bytes()).step("name the machine")?;
    // No jail within the jail, with privileges of its own: the filter refuses that too, where it is in force.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    if task.plan.processes == ProcessBound::Unbounded && system::own_process_numbers() {
        let most = task
            .plan
            .confinement
            .limits
            .processes
            .saturating_add(RESERVED_NUMBERS);
        if fs::write("/proc/sys/kernel/pid_max", most.to_string()).is_ok() {
            task.plan.processes = ProcessBound::Numbers;
        }
    }
    if task.plan.confinement.network == Network::Loopback {
        loopback::switch_on().step("switch the loopback on")?;
    }
    root::build(&task.plan.confinement)?;
    rustix::thread::set_no_new_privs(true).step("give up new privileges")?;
    capabilities::drop_all()
}
