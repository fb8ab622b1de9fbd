//! A child that runs.

use std::io;
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus};

use crate::excess::Excess;
use crate::layers::Layers;
use crate::platform::Leash;

/// A child that runs. It does not outlive this value, nor the process that holds it: neither do its own children.
#[derive(Debug)]
pub struct Child {
    /// What it reads.
    pub stdin: Option<ChildStdin>,
    /// What it prints.
    pub stdout: Option<ChildStdout>,
    /// What it complains about.
    pub stderr: Option<ChildStderr>,
    process: process::Child,
    leash: Leash,
    layers: Layers,
    status: Option<ExitStatus>,
}

impl Child {
    pub(crate) fn new(
        mut process: process::Child,
        stdin: Option<ChildStdin>,
        leash: Leash,
        layers: Layers,
    ) -> Self {
        Self {
            stdin,
            stdout: process.stdout.take(),
            stderr: process.stderr.take(),
            process,
            leash,
            layers,
            status: None,
        }
    }

    /// The process that guards the child; the child has another number, which means nothing outside.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// What stands between the child and the machine.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Ends the child and everything that it started. [`wait`](Self::wait) returns when nothing of it is left.
    pub fn kill(&mut self) -> io::Result<()> {
        if self.status.is_some() {
            return Ok(());
        }
        self.leash.pull(&mut self.process)
    }

    /// Waits for the child's end, and until nothing that it started is left. Its input is closed first.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        drop(self.stdin.take());
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = self.leash.wait(&mut self.process)?;
        self.status = Some(status);
        Ok(status)
    }

    /// Why the child was ended by its sandbox, if it was. Known once it was waited for.
    pub fn excess(&self) -> Option<Excess> {
        self.leash.excess()
    }

    /// How the child ended, if it did.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.leash.try_wait(&mut self.process)?;
        }
        Ok(self.status)
    }
}

/// Readable as soon as the child has ended, so that an event loop can wait for that and then call
/// [`wait`](Child::wait), which takes no time then.
#[cfg(target_os = "linux")]
impl std::os::fd::AsFd for Child {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.leash.as_fd()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.status.is_none() && self.kill().is_ok() {
            let _ = self.wait();
        }
    }
}
