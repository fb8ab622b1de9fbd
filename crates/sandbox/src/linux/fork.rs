//! The two calls that make and empty a process.

use std::io;

use rustix::process::Pid;

/// Which of the two processes this is.
pub(super) enum Forked {
    Child,
    Parent(Pid),
}

/// Makes a second process of this one.
#[allow(
    unsafe_code,
    reason = "no safe call makes a process without replacing its program"
)]
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: only the launcher calls this, from the thread that entered `main`, and it has started no other. So no
    // lock can be held by a thread that the child does not have.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid).map_or(Forked::Child, Forked::Parent)),
    }
}

/// What becomes of descriptors.
#[derive(Clone, Copy)]
pub(super) enum Descriptors {
    /// They close now. Only where nothing of ours is open yet.
    Close,
    /// They close when another program starts.
    CloseOnExec,
}

/// Everything but the three streams: what the host left open by mistake must not reach the child.
#[allow(
    unsafe_code,
    reason = "no safe call reaches descriptors without an owner"
)]
pub(super) fn keep_streams_only(descriptors: Descriptors) -> io::Result<()> {
    let flags = match descriptors {
        Descriptors::Close => 0,
        Descriptors::CloseOnExec => libc::CLOSE_RANGE_CLOEXEC,
    };
    // SAFETY: marking touches no descriptor that is in use. Closing is asked for once, as the first thing in `main`,
    // when no value of this process owns a descriptor above the streams.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, flags) };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
