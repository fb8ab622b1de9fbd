//! How much a child may ask of the machine.

use serde::{Deserialize, Serialize};

/// Bytes of address space of one process. Runtimes with a compiler reserve far more than they use.
pub const ADDRESS_SPACE: u64 = 4 * 1024 * 1024 * 1024;
/// Seconds of processor time of one process.
pub const CPU_SECONDS: u64 = 600;
/// Processes and threads of the child, itself included.
pub const PROCESSES: u64 = 128;
/// Bytes of one file that it writes.
pub const FILE_SIZE: u64 = 256 * 1024 * 1024;
/// Descriptors that one process may have open.
pub const OPEN_FILES: u64 = 512;
/// Bytes of memory of all processes together.
pub const MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// Bytes that all processes together send to a disk.
pub const DISK: u64 = 1024 * 1024 * 1024;
/// Files and directories that all processes together make in a project.
pub const FILES: u64 = 20_000;
/// Bytes of the private `/tmp`, which lives in memory.
pub const SCRATCH: u64 = 64 * 1024 * 1024;

/// Bytes of scratch for each file, directory or link that may be made in it.
pub(crate) const SCRATCH_PER_FILE: u64 = 4096;
/// Bytes of a plan; arguments and environment are most of it, and the system takes no more either.
pub(crate) const PLAN_BYTES: u32 = 32 * 1024 * 1024;
/// Bytes of what a starting child may say to us.
pub(crate) const REPORT_BYTES: u32 = 64 * 1024;
/// How long a child may take to be started.
pub(crate) const START_SECONDS: u64 = 20;

/// What a child may use; it cannot raise these limits. A core is never dumped.
///
/// Of these, [`processes`](Self::processes), [`memory`](Self::memory), [`disk`](Self::disk) and
/// [`files`](Self::files) are about the whole child. The last three are looked at 20 times a second, and a child that
/// exceeds one is ended. The others are counted by the kernel for each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// See [`ADDRESS_SPACE`].
    pub address_space: u64,
    /// See [`CPU_SECONDS`].
    pub cpu_seconds: u64,
    /// See [`PROCESSES`].
    pub processes: u64,
    /// See [`FILE_SIZE`].
    pub file_size: u64,
    /// See [`OPEN_FILES`].
    pub open_files: u64,
    /// See [`MEMORY`].
    pub memory: u64,
    /// See [`DISK`].
    pub disk: u64,
    /// See [`FILES`].
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            address_space: ADDRESS_SPACE,
            cpu_seconds: CPU_SECONDS,
            processes: PROCESSES,
            file_size: FILE_SIZE,
            open_files: OPEN_FILES,
            memory: MEMORY,
            disk: DISK,
            files: FILES,
        }
    }
}
