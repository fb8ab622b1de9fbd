//! Runs what others wrote: a child that sees only what a [`Confinement`] names.
//!
//! - [`Sandbox`] starts a [`Command`] as a [`Child`] that does not outlive its holder.
//! - [`lock_down`] is for a worker of ours that interprets a text of others and needs nothing but its open streams.
//! - [`abilities`] tells what this machine can do, by trying.
//!
//! # Promises
//!
//! A child that was started under [`Requirement::Full`]
//!
//! - reaches no network and no socket of this machine, unless [`Network::Host`] was given;
//! - changes no file but those of [`Confinement::read_write`] and of its own `/tmp`, which is gone with it;
//! - reads no file but those of the system, of its mounts, and of its `/tmp`: no home directory, no other process;
//! - has the environment, the descriptors and the terminal that it was given, and these are none but three pipes;
//! - is gone with everything it started when [`Child::wait`] returns, when the [`Child`] is dropped, and when we die.
//!
//! Two ways keep all of them: [`Isolation::Namespaces`] and [`Isolation::Bubblewrap`]. Landlock and system call filters
//! alone do not, so they are only ever a second and third layer: they cannot hide that a file exists, keep its times
//! and permissions from being changed, give a private `/tmp`, or find every process that a child left behind. Where
//! neither way is open, nothing is started and [`SandboxError::Unavailable`] says why for each.
//!
//! In a project that it may change, [`protected_paths`] are read-only, whether they are there or not.
//!
//! What is not promised: that a child uses no more processor time as a whole than one process may, or leaves others a
//! fair share of the processors (a control group could, and is not used yet); that it never exceeds the memory, disk
//! and files of a whole child for the 50 milliseconds until that is noticed; that it cannot find out which machine it is
//! on; that a network which was given leads only to some places; or that the kernel has no fault.
//!
//! # Limits
//!
//! | what | limit |
//! |---|---|
//! | address space of a process ([`ADDRESS_SPACE`](limits::ADDRESS_SPACE)) | 4 GiB |
//! | processor time of a process ([`CPU_SECONDS`](limits::CPU_SECONDS)) | 600 s |
//! | processes and threads ([`PROCESSES`](limits::PROCESSES)) | 128 |
//! | one file that is written ([`FILE_SIZE`](limits::FILE_SIZE)) | 256 MiB |
//! | open descriptors of a process ([`OPEN_FILES`](limits::OPEN_FILES)) | 512 |
//! | the private `/tmp` and `/dev/shm` ([`SCRATCH`](limits::SCRATCH)) | 64 MiB, and a file for every 4 KiB |
//! | memory of all processes together ([`MEMORY`](limits::MEMORY)) | 2 GiB |
//! | bytes that they send to a disk ([`DISK`](limits::DISK)) | 1 GiB |
//! | files that they make in a project ([`FILES`](limits::FILES)) | 20,000 |
//! | core dumps, message queues | none |
//!
//! All can be changed with [`Limits`] and [`Confinement::scratch`], but for the last.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "only Linux builds its own jail")
)]

mod abilities;
mod child;
mod command;
mod confinement;
mod error;
mod excess;
mod layers;
pub mod limits;
mod os_path;
mod protected;
mod protection;
mod sandbox;
pub mod seatbelt;
mod translate;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod platform;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod platform;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "unsupported.rs"]
mod platform;

use std::process::ExitCode;

pub use abilities::{Abilities, Ability, AbilityState};
pub use child::Child;
pub use command::{Command, Launcher};
pub use confinement::{Confinement, Mount, Network, View, is_reserved};
pub use error::{Cause, Missing, PathProblem, Refusal, SandboxError};
pub use excess::Excess;
pub use layers::{Isolation, Layers, ProcessBound, Seccomp};
pub use limits::Limits;
pub use protected::{all_repositories, protected_elsewhere};
pub use protection::{
    Effect, Protection, is_protected, is_repository, protected_paths, protections,
};
pub use sandbox::{Requirement, Sandbox};

/// What a [`Launcher`] runs, before anything else: no thread may have been started, no file opened.
///
/// It reads what to do from its input, so it does nothing when a person calls it.
pub fn init() -> ExitCode {
    platform::init()
}

/// Shuts this process in for good: no file, process, program or connection can be opened from here on, and the limits
/// hold. What is open stays open. Threads can be started afterwards, but must not have been before.
///
/// [`Limits::processes`] does not matter, since no process can be started.
pub fn lock_down(limits: &Limits) -> Result<Layers, SandboxError> {
    platform::lock_down(limits)
}

/// What this machine can do for a sandbox. Starts a child for each way to isolate one.
pub fn abilities(launcher: &Launcher) -> Abilities {
    platform::abilities(launcher)
}
