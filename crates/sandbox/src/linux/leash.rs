//! The socket between the host and the guard of a child.

use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::wire::{Report, receive_report};
use crate::excess::Excess;

/// Pulled when it closes: by a call, or because the host is no more.
#[derive(Debug)]
pub(crate) struct Leash {
    socket: UnixStream,
    excess: Option<Excess>,
}

impl Leash {
    pub(super) fn new(socket: UnixStream) -> Self {
        Self {
            socket,
            excess: None,
        }
    }

    /// The guard ends the child when it sees this, and then itself. To kill the guard would do the same, but leave
    /// no process to wait for the last one.
    #[allow(
        clippy::unused_self,
        clippy::needless_pass_by_ref_mut,
        reason = "the same on each system"
    )]
    pub(crate) fn pull(&self, _process: &mut Child) -> io::Result<()> {
        match self.socket.shutdown(Shutdown::Write) {
            Err(error) if error.kind() != io::ErrorKind::NotConnected => Err(error),
            _ => Ok(()),
        }
    }

    pub(crate) fn wait(&mut self, process: &mut Child) -> io::Result<ExitStatus> {
        let report = receive_report(&self.socket);
        let guard = process.wait()?;
        Ok(match report {
            Ok(Some(Report::Exited { status, excess })) => {
                self.excess = excess;
                ExitStatus::from_raw(status)
            }
            // Killed, and no process is left to report how the program ended.
            _ if guard.success() => ExitStatus::from_raw(libc::SIGKILL),
            _ => guard,
        })
    }

    /// Why the child was ended, once it was waited for.
    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess
    }

    pub(crate) fn try_wait(&mut self, process: &mut Child) -> io::Result<Option<ExitStatus>> {
        let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
        let now = Timespec::default();
        if rustix::io::retry_on_intr(|| poll(&mut ready, Some(&now)))? == 0 {
            return Ok(None);
        }
        self.wait(process).map(Some)
    }
}

impl AsFd for Leash {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
