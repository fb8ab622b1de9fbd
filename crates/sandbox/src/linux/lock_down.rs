//! A worker of ours shuts itself in before it touches a text of others.

use std::collections::BTreeMap;

use libc::c_long;
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use seccompiler::{BpfProgram, SeccompAction};

use super::{capabilities, landlock, rlimits, seccomp};
use crate::error::{Refusal, SandboxError, Step};
use crate::layers::{Isolation, Layers, ProcessBound, Seccomp};
use crate::limits::Limits;

/// What an interpreter with an open input and output needs: bytes, memory, time, locks, threads and an end.
const ALLOWED: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_dup,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_ctl,
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getrusage,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_wait,
    libc::SYS_time,
    libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

const PR_SET_NAME: u64 = 15;
const PR_SET_VMA: u64 = 0x5356_4d41;
/// To read and set the flags of a descriptor, and to copy it.
const DESCRIPTOR_REQUESTS: &[u64] = &[1, 2, 3, 4, 1030];

pub(crate) fn lock_down(limits: &Limits) -> Result<Layers, SandboxError> {
    shut_in(limits).map_err(SandboxError::LockDown)
}

fn shut_in(limits: &Limits) -> Result<Layers, Refusal> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).step("hide this process")?;
    rlimits::apply(limits)?;
    rustix::thread::set_no_new_privs(true).step("give up new privileges")?;
    capabilities::drop_all()?;
    let landlock = landlock::forbid_everything()?;
    let program = program().step("compile the system call filter")?;
    // All threads: a worker's runtime may have started one already.
    seccompiler::apply_filter_all_threads(&program).step("filter system calls")?;
    Ok(Layers {
        isolation: Isolation::None,
        landlock,
        seccomp: Seccomp::Allowing,
        // It can start none.
        processes: ProcessBound::Exact,
    })
}

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    for call in ALLOWED.iter().chain(ALLOWED_HERE) {
        rules.insert(*call, Vec::new());
    }
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    rules.insert(libc::SYS_clone, vec![seccomp::masked(0, thread, thread)?]);
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(call, vec![seccomp::masked(2, executable, 0)?]);
    }
    // The name of a thread, and of a piece of memory.
    rules.insert(
        libc::SYS_prctl,
        seccomp::equal(0, &[PR_SET_NAME, PR_SET_VMA])?,
    );
    // The receiver of signals about a descriptor can be any process, so that is not allowed.
    rules.insert(libc::SYS_fcntl, seccomp::equal(1, DESCRIPTOR_REQUESTS)?);
    // Its own limits: it may lower them, and raise none beyond what was set here.
    rules.insert(libc::SYS_prlimit64, seccomp::equal(0, &[0])?);
    // A process may abort itself, and signal no other.
    let own = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, seccomp::equal(0, &[own])?);
    let mut program = seccomp::first_of_all();
    program.extend(seccomp::compile(
        rules,
        seccomp::refusal(),
        SeccompAction::Allow,
    )?);
    Ok(program)
}
