//! Limits that the kernel counts.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::{Refusal, Step};
use crate::layers::ProcessBound;
use crate::limits::Limits;

/// Processes of ours that the kernel counts with those of a child: the guard and the first one inside.
const OURS: u64 = 2;

/// Every limit but that of processes.
pub(super) fn apply(limits: &Limits) -> Result<(), Refusal> {
    limit(Resource::As, limits.address_space)?;
    limit(Resource::Cpu, limits.cpu_seconds)?;
    limit(Resource::Fsize, limits.file_size)?;
    limit(Resource::Nofile, limits.open_files)?;
    // One byte, which is too little for any. At none, a program that the system starts for cores would still get it.
    limit(Resource::Core, 1)?;
    limit(Resource::Msgqueue, 0)?;
    limit(Resource::Nice, 0)?;
    limit(Resource::Rtprio, 0)
}

/// At most so many processes, as far as the kernel counts them.
pub(super) fn bound_processes(most: u64, bound: ProcessBound) -> Result<ProcessBound, Refusal> {
    limit(Resource::Nproc, most.saturating_add(OURS))?;
    Ok(bound)
}

fn limit(resource: Resource, most: u64) -> Result<(), Refusal> {
    // What is lower already stays: to raise a limit takes a privilege that we do not have.
    let hard = getrlimit(resource).maximum;
    let most = hard.map_or(most, |hard| hard.min(most));
    let both = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    setrlimit(resource, both).step(format!("limit {resource:?}"))
}
