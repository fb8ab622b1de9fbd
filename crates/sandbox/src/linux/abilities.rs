//! What this kernel lets us do, found out by doing it.

use std::fs;
use std::path::Path;

use super::start::{absent, launch};
use super::system;
use super::wire::{Job, Plan, Stage};
use crate::abilities::{Abilities, Ability};
use crate::command::Launcher;
use crate::confinement::{Confinement, Network};
use crate::error::{Missing, Refusal};
use crate::layers::{Isolation, Layers, ProcessBound};

pub(crate) fn abilities(launcher: &Launcher) -> Abilities {
    let namespaces = probe(launcher, Stage::Direct);
    let bubblewrap = match system::bubblewrap() {
        Some(program) => probe(launcher, Stage::Bubblewrap(program)),
        None => Err(absent()),
    };
    // Where no jail can be built, the layers that need none are still worth knowing: a worker locks itself down.
    let layers = match namespaces.as_ref().or(bubblewrap.as_ref()) {
        Ok(layers) => Ok(layers.clone()),
        Err(_) => probe(launcher, Stage::Bare),
    };
    Abilities {
        kernel: rustix::system::uname()
            .release()
            .to_string_lossy()
            .into_owned(),
        isolation: match (&namespaces, &bubblewrap) {
            (Ok(_), _) => Some(Isolation::Namespaces),
            (_, Ok(_)) => Some(Isolation::Bubblewrap),
            _ => None,
        },
        namespaces: way(
            &namespaces,
            Isolation::Namespaces,
            "a child gets its own users, mounts, processes, network, messages and host name, and a root with nothing else in it",
        ),
        bubblewrap: way(
            &bubblewrap,
            Isolation::Bubblewrap,
            "the same can be built by bubblewrap",
        ),
        landlock: match &layers {
            Ok(Layers {
                landlock: Some(version),
                ..
            }) => Ability::works(format!(
                "version {version} is enforced: what may be written is checked a second time"
            )),
            Ok(_) => Ability::missing(
                "this kernel has no Landlock, so what may be written is checked once, by the mounts",
            ),
            Err(refusal) => Ability::missing(refusal.to_string()),
        },
        seccomp: match &layers {
            Ok(_) => {
                Ability::works("system calls that a program never needs are refused".to_owned())
            }
            Err(refusal) => Ability::missing(refusal.to_string()),
        },
        limits: match &layers {
            Ok(layers) => limits(layers.processes),
            Err(refusal) => Ability::missing(refusal.to_string()),
        },
        cgroup: Ability::missing(cgroup()),
    }
}

fn way(probed: &Result<Layers, Refusal>, isolation: Isolation, sentence: &str) -> Ability {
    match probed {
        Ok(_) => Ability::works(sentence.to_owned()),
        Err(refusal) => {
            let refusal = refusal.clone();
            Ability::missing(Missing { isolation, refusal }.to_string())
        }
    }
}

fn limits(bound: ProcessBound) -> Ability {
    Ability::works(match bound {
        ProcessBound::Exact => "memory, time, files and processes are bounded".to_owned(),
        ProcessBound::Numbers => "memory, time and files are bounded; the superuser's processes by their numbers, so up to 300 more than the limit".to_owned(),
        ProcessBound::Unbounded => "memory, time and files are bounded; processes are not, since the kernel does not count the superuser's".to_owned(),
    })
}

/// Enters a jail, asks what stands, and leaves.
fn probe(launcher: &Launcher, stage: Stage) -> Result<Layers, Refusal> {
    let confinement = Confinement {
        network: Network::None,
        ..Confinement::default()
    };
    let plan = Plan::new(stage, Job::Probe, confinement, launcher.clone());
    match launch(&plan) {
        Ok(Ok(mut child)) => {
            let layers = child.layers().clone();
            let _ = child.wait();
            Ok(layers)
        }
        Ok(Err(refusal)) => Err(refusal),
        Err(error) => Err(Refusal::system("run the launcher", &error)),
    }
}

/// Why no control group bounds a child as a whole.
fn cgroup() -> String {
    let root = Path::new("/sys/fs/cgroup");
    if !root.join("cgroup.controllers").exists() {
        return "not used: version 2 is not mounted at its usual place; a process of ours counts memory, disk and files of a child instead".to_owned();
    }
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = own.trim().trim_start_matches("0::/");
    let procs = root.join(own).join("cgroup.procs");
    let ours = rustix::fs::access(&procs, rustix::fs::Access::WRITE_OK).is_ok();
    let state = if ours {
        "it could be"
    } else {
        "it is not ours to divide"
    };
    format!("not used: {state}; a process of ours counts memory, disk and files of a child instead")
}
