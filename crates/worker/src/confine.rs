//! The restrictions that a worker applies before it reads its first line.
//!
//! What is needed all along: `prlimit64` and `clock_gettime` for [`allow_processor_time`], `pread64` for
//! [`mapped_bytes`].

use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::Duration;

use prowess_sandbox::{Limits, SandboxError, lock_down};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::{LIFETIME_SECONDS, OPEN_FILES, PROCESSOR_SECONDS};

/// The assumed address space of a process at the start, if the system does not report it.
const USUAL_ADDRESS_SPACE: u64 = 512 * 1024 * 1024;

/// Shuts this process in for good: no file, no program, no connection, and so much more memory.
pub(crate) fn confine(more: u64) -> Result<(), SandboxError> {
    let limits = Limits {
        address_space: address_space(more),
        cpu_seconds: LIFETIME_SECONDS,
        file_size: 0,
        open_files: OPEN_FILES,
        ..Limits::default()
    };
    lock_down(&limits).map(|_| ())
}

/// Bounds the memory and the time of this process, where it cannot be shut in.
pub(crate) fn bound(more: u64) -> rustix::io::Result<()> {
    let limits = [
        (Resource::As, address_space(more)),
        (Resource::Cpu, LIFETIME_SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
    ];
    limits.into_iter().try_for_each(|(resource, most)| {
        let hard = getrlimit(resource).maximum;
        let most = Some(hard.map_or(most, |hard| hard.min(most)));
        let both = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(resource, both)
    })
}

/// What is mapped already, and so much more.
fn address_space(more: u64) -> u64 {
    if let Ok(sizes) = File::open("/proc/self/statm") {
        SIZES.get_or_init(|| sizes);
    }
    let mapped = mapped_bytes().unwrap_or(USUAL_ADDRESS_SPACE);
    mapped.saturating_add(more)
}

/// The kernel's figures about this process, opened while that is still possible.
static SIZES: OnceLock<File> = OnceLock::new();

/// The mapped address space; `None` if the system does not report it.
pub(crate) fn mapped_bytes() -> Option<u64> {
    let mut text = [0; 32];
    let length = SIZES.get()?.read_at(&mut text, 0).ok()?;
    let text = str::from_utf8(text.get(..length)?).ok()?;
    let pages: u64 = text.split(' ').next()?.parse().ok()?;
    pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)
}

/// The processor time that this process has used.
pub(crate) fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}

/// Called before each request: limits the CPU time from then on. Beyond it the kernel sends `SIGXCPU`.
pub(crate) fn allow_processor_time() -> impl Fn() {
    let maximum = getrlimit(Resource::Cpu).maximum;
    let allowed = Cell::new(None);
    move || {
        let seconds = processor_time().as_secs().saturating_add(PROCESSOR_SECONDS);
        let current = Some(maximum.map_or(seconds, |maximum| maximum.min(seconds)));
        // The kernel counts whole seconds, so most requests have what the one before them had.
        if allowed.replace(current) != current {
            // A limit that cannot be moved is one that holds.
            let _ = setrlimit(Resource::Cpu, Rlimit { current, maximum });
        }
    }
}
