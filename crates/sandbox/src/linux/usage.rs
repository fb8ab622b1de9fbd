//! What the processes of a jail use together, read from its process list.

use std::fs;
use std::path::Path;

use crate::confinement::Confinement;
use crate::excess::Excess;
use crate::limits::SCRATCH_PER_FILE;

/// Finds the limit that a jail exceeds as a whole. Each process has limits of its own, which the kernel counts.
pub(super) fn exceeded(confinement: &Confinement, created_files: u64) -> Option<Excess> {
    let limits = &confinement.limits;
    let scratch = (confinement.scratch / SCRATCH_PER_FILE).max(64);
    if created_files > limits.files || scratch_files() > scratch {
        return Some(Excess::Files);
    }
    let processes = processes();
    let resident: u64 = processes.iter().map(|path| resident(path)).sum();
    // Pages that processes share count for each of them there. Only where that could matter are they looked at.
    if resident > limits.memory
        && processes.iter().map(|path| share(path)).sum::<u64>() > limits.memory
    {
        return Some(Excess::Memory);
    }
    if processes.iter().map(|path| written(path)).sum::<u64>() > limits.disk {
        return Some(Excess::Disk);
    }
    None
}

fn processes() -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(number))
        .map(|entry| entry.path())
        .collect()
}

/// Files in the directories of the child's own. Bubblewrap cannot bound them.
fn scratch_files() -> u64 {
    let used = |place| {
        let found = rustix::fs::statvfs(place);
        found.map_or(0, |it| it.f_files.saturating_sub(it.f_ffree))
    };
    // One file system or two.
    used("/tmp").max(used("/dev/shm"))
}

/// Bytes of a process that are in memory.
fn resident(process: &Path) -> u64 {
    let text = fs::read_to_string(process.join("statm")).unwrap_or_default();
    let pages = text.split_ascii_whitespace().nth(1);
    let pages: u64 = pages.and_then(|number| number.parse().ok()).unwrap_or(0);
    pages.saturating_mul(rustix::param::page_size() as u64)
}

/// The same, where a page that several processes share counts for each in part. All of it where that cannot be read.
fn share(process: &Path) -> u64 {
    let text = fs::read_to_string(process.join("smaps_rollup"));
    let text = text.unwrap_or_default();
    field(&text, "Pss:").map_or_else(
        || resident(process),
        |kilobytes| kilobytes.saturating_mul(1024),
    )
}

/// Bytes that a process and the children that it waited for sent to a disk.
fn written(process: &Path) -> u64 {
    let text = fs::read_to_string(process.join("io")).unwrap_or_default();
    let written = field(&text, "write_bytes:").unwrap_or(0);
    written.saturating_sub(field(&text, "cancelled_write_bytes:").unwrap_or(0))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_ascii_whitespace().next()?.parse().ok()
}
