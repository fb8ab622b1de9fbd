//! The kernel's side of it: which calls are handed over, and how they are answered.
#![allow(unsafe_code, reason = "no crate of ours knows these calls")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{c_long, seccomp_notif, seccomp_notif_addfd, seccomp_notif_resp, sock_filter};

use super::last_error;

/// Calls that are handed over whatever their arguments.
const NAMING: &[c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_truncate,
];
#[cfg(target_arch = "x86_64")]
const NAMING_HERE: &[c_long] = &[
    libc::SYS_creat,
    libc::SYS_mkdir,
    libc::SYS_mknod,
    libc::SYS_symlink,
    libc::SYS_link,
    libc::SYS_rename,
    libc::SYS_unlink,
    libc::SYS_rmdir,
];
#[cfg(not(target_arch = "x86_64"))]
const NAMING_HERE: &[c_long] = &[];

/// Calls that open a file, and which argument has the flags.
#[cfg(target_arch = "x86_64")]
const OPENING: &[(c_long, u32)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
const OPENING: &[(c_long, u32)] = &[(libc::SYS_openat, 2)];

/// Flags of a file that is made or changed.
const CHANGING: i32 = libc::O_WRONLY
    | libc::O_RDWR
    | libc::O_CREAT
    | libc::O_TRUNC
    | (libc::O_TMPFILE & !libc::O_DIRECTORY);

/// Where the first argument is in what a filter sees, and how far the next one is from it. Only the lower half counts.
const ARGUMENTS: u32 = if cfg!(target_endian = "big") { 20 } else { 16 };
const ARGUMENT: u32 = 8;

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt: 0,
        jf: 0,
        k,
    }
}

fn program() -> Vec<sock_filter> {
    let load = |at| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at);
    let end = |action| statement(libc::BPF_RET | libc::BPF_K, action);
    let unless = |test: u32, k: u32, skip: u8| sock_filter {
        jf: skip,
        ..statement(libc::BPF_JMP | test | libc::BPF_K, k)
    };
    let number = |call: &c_long| u32::try_from(*call).unwrap_or(u32::MAX);
    let mut program = vec![load(0)];
    for call in NAMING.iter().chain(NAMING_HERE) {
        program.push(unless(libc::BPF_JEQ, number(call), 1));
        program.push(end(libc::SECCOMP_RET_USER_NOTIF));
    }
    for (call, argument) in OPENING {
        program.push(unless(libc::BPF_JEQ, number(call), 4));
        program.push(load(ARGUMENTS + ARGUMENT * argument));
        program.push(unless(libc::BPF_JSET, CHANGING.unsigned_abs(), 1));
        program.push(end(libc::SECCOMP_RET_USER_NOTIF));
        program.push(end(libc::SECCOMP_RET_ALLOW));
    }
    program.push(end(libc::SECCOMP_RET_ALLOW));
    program
}

/// Puts the filter over this process. Needs `no_new_privs`.
pub(super) fn install() -> io::Result<OwnedFd> {
    let mut program = program();
    let filter = libc::sock_fprog {
        len: u16::try_from(program.len()).unwrap_or_default(),
        filter: program.as_mut_ptr(),
    };
    let wanted = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // A call that is being answered is not interrupted by signals: it would be made twice.
    let patient = wanted | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let install = |flags: libc::c_ulong| {
        // SAFETY: the program is an array of the length that is stated, and lives until the call returns.
        last_error(unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const filter,
            )
        })
    };
    let listener = install(patient).or_else(|_| install(wanted))?;
    let listener = i32::try_from(listener).map_err(io::Error::other)?;
    // SAFETY: the kernel just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}

pub(super) fn receive(listener: &OwnedFd) -> io::Result<seccomp_notif> {
    // SAFETY: a struct of numbers, for which nothing but zeros is what the kernel asks for.
    let mut notice: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes a struct of this kind.
    let done = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_RECV,
            &raw mut notice,
        )
    };
    last_error(done.into())?;
    Ok(notice)
}

pub(super) fn is_valid(listener: &OwnedFd, id: u64) -> bool {
    // SAFETY: the kernel reads the number.
    let done = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
            &raw const id,
        )
    };
    done == 0
}

/// Zero, or the negative number of an error.
pub(super) fn answer(listener: &OwnedFd, id: u64, error: i32) -> io::Result<()> {
    let mut response = seccomp_notif_resp {
        id,
        val: 0,
        error,
        flags: 0,
    };
    // SAFETY: the kernel reads a struct of this kind.
    let done = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND,
            &raw mut response,
        )
    };
    last_error(done.into())?;
    Ok(())
}

/// Gives the caller an open file as its answer.
pub(super) fn hand_out(
    listener: &OwnedFd,
    id: u64,
    file: BorrowedFd<'_>,
    close_on_exec: bool,
) -> io::Result<()> {
    let flags = if close_on_exec { libc::O_CLOEXEC } else { 0 };
    let gift = seccomp_notif_addfd {
        id,
        flags: u32::try_from(libc::SECCOMP_ADDFD_FLAG_SEND).unwrap_or_default(),
        srcfd: file.as_raw_fd().unsigned_abs(),
        newfd: 0,
        newfd_flags: flags.unsigned_abs(),
    };
    // SAFETY: the kernel reads a struct of this kind, and the descriptor is open.
    let done = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_ADDFD,
            &raw const gift,
        )
    };
    last_error(done.into())?;
    Ok(())
}
