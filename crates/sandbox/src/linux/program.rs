//! The last step before the child's own code: this process shuts itself in, then becomes the program.

use std::io::{PipeWriter, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;

use rustix::fs::Mode;
use rustix::process::{setsid, umask};

use super::fork::{Descriptors, keep_streams_only};
use super::init::Task;
use super::wire::{Job, Stage};
use super::{broker, capabilities, landlock, rlimits, seccomp};
use crate::command::Command;
use crate::confinement::Confinement;
use crate::error::{Refusal, Step};
use crate::layers::{Isolation, Layers, ProcessBound, Seccomp};
use crate::translate::translate;

/// Ends in another program, or with a word about why not.
pub(super) fn become_program(task: &Task, mut ready: PipeWriter, above: &UnixStream) -> ! {
    // What it prints from here on is the program's, so nothing is printed; what it says goes to `ready`.
    let code = match prepare(task, &mut ready, above) {
        Ok(()) => 0,
        Err(refusal) => {
            let _ = report(&mut ready, &Err(refusal));
            1
        }
    };
    process::exit(code)
}

fn report(ready: &mut PipeWriter, result: &Result<Layers, Refusal>) -> Result<(), Refusal> {
    let text = serde_json::to_vec(result).step("report the result")?;
    ready.write_all(&text).step("report the result")
}

fn prepare(task: &Task, ready: &mut PipeWriter, above: &UnixStream) -> Result<(), Refusal> {
    let confinement = &task.plan.confinement;
    rustix::stdio::dup2_stdin(&task.input).step("open the input")?;
    keep_streams_only(Descriptors::CloseOnExec).step("close descriptors")?;
    // A session of its own: a signal to a process group crosses namespaces, and the guard is in the old one.
    setsid().step("leave the session")?;
    umask(Mode::WGRP | Mode::WOTH);
    let bare = matches!(task.plan.stage, Stage::Bare);
    let (command, directory) = located(task);
    rustix::process::chdir(&directory).request_step(format!("enter `{}`", directory.display()))?;
    let layers = match (&task.plan.job, bare) {
        (Job::Run(_), true) => loose(confinement)?,
        _ => shut_in(task, confinement, above)?,
    };
    report(ready, &Ok(layers))?;
    let Some(command) = command else {
        return Ok(());
    };
    let error = process::Command::new(&command.program)
        .args(&command.arguments)
        .env_clear()
        .envs(
            confinement
                .environment
                .iter()
                .map(|(key, value)| (key, value)),
        )
        .exec();
    Err(error).request_step(format!("run `{}`", command.program.display()))
}

/// The command and the working directory, by the names that they have where this process is.
fn located(task: &Task) -> (Option<Command>, PathBuf) {
    let confinement = &task.plan.confinement;
    let Job::Run(command) = &task.plan.job else {
        return (None, PathBuf::from("/"));
    };
    match task.plan.stage {
        Stage::Bare => {
            let directory = confinement.outside(&confinement.working_directory);
            let directory = directory.unwrap_or_else(|| confinement.working_directory.clone());
            (Some(translate(command, confinement)), directory)
        }
        _ => (Some(command.clone()), confinement.working_directory.clone()),
    }
}

/// Limits, and nothing else.
fn loose(confinement: &Confinement) -> Result<Layers, Refusal> {
    rlimits::apply(&confinement.limits)?;
    Ok(Layers {
        isolation: Isolation::None,
        landlock: None,
        seccomp: Seccomp::Off,
        processes: ProcessBound::Unbounded,
    })
}

fn shut_in(task: &Task, confinement: &Confinement, above: &UnixStream) -> Result<Layers, Refusal> {
    let isolation = match task.plan.stage {
        Stage::Direct => Isolation::Namespaces,
        Stage::Inside | Stage::Bubblewrap(_) => Isolation::Bubblewrap,
        Stage::Bare => Isolation::None,
    };
    rlimits::apply(&confinement.limits)?;
    let processes = match isolation {
        Isolation::None => ProcessBound::Unbounded,
        _ => rlimits::bound_processes(confinement.limits.processes, task.plan.processes)?,
    };
    rustix::thread::set_no_new_privs(true).step("give up new privileges")?;
    capabilities::drop_all()?;
    let landlock = landlock::restrict(confinement)?;
    if !confinement.projects.is_empty() {
        broker::hand_over(above)?;
    }
    seccomp::refuse(confinement.network)?;
    Ok(Layers {
        isolation,
        landlock,
        seccomp: Seccomp::Refusing,
        processes,
    })
}
