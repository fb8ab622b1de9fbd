//! What a worker takes from itself before it reads its first line.
//!
//! This is the one place for it, and where the sandbox's own lock-down belongs: after the limits, which it may no longer
//! let us set. What is needed all along: `prlimit64` and `clock_gettime` for [`allow_processor_time`], `pread64` for
//! [`mapped_bytes`].

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::{ADDRESS_SPACE, OPEN_FILES, PROCESSOR_SECONDS};

/// What a process of ours maps at most before it does anything, where the system does not say.
const USUAL_ADDRESS_SPACE: u64 = 512 * 1024 * 1024;

/// Bounds this process for good.
pub(crate) fn confine() -> io::Result<()> {
    if let Ok(sizes) = File::open("/proc/self/statm") {
        SIZES.get_or_init(|| sizes);
    }
    let mapped = mapped_bytes().unwrap_or(USUAL_ADDRESS_SPACE);
    limit(Resource::As, mapped.saturating_add(ADDRESS_SPACE))?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Nofile, OPEN_FILES)?;
    // No processes and no further threads; our own exists already.
    limit(Resource::Nproc, 0)
}

/// Never raises a limit that is lower already.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = getrlimit(resource)
        .maximum
        .map_or(most, |maximum| maximum.min(most));
    let both = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(resource, both)?;
    Ok(())
}

/// The kernel's figures about this process, opened while that is still possible.
static SIZES: OnceLock<File> = OnceLock::new();

/// The address space that is mapped now; nothing where the system does not say.
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

/// What is called before each request: from then on, so much processor time and no more. Past it the kernel sends `SIGXCPU`.
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
