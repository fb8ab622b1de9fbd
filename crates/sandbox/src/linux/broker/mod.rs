//! Decides about names: each call that makes, opens for writing, moves or removes a file of a project is made by this
//! side, after it looked at where it leads.
//!
//! Mounts protect what is there already. They cannot keep a name from being made, and a filter sees only a pointer to
//! it, whose text another thread can change after it was checked. So the kernel hands such calls to the process above
//! the program, which reads the path once, walks it itself, and answers for the kernel.

mod call;
mod filter;
mod path_entry;

use std::ffi::OsStr;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::confinement::{Access, Confinement};
use crate::error::{Refusal, Step};
use crate::protection::{is_above_protected, is_protected};

/// What a protected name answers: as if it lay on a disk that cannot be written.
const READ_ONLY: rustix::io::Errno = rustix::io::Errno::ROFS;

/// Has the calls of this process and its children handed to the process at the other end of `to`.
pub(super) fn hand_over(to: &UnixStream) -> Result<(), Refusal> {
    let listener = filter::install().step("watch over protected names")?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [listener.as_fd()];
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(Refusal::system("watch over protected names", "no space"));
    }
    let flags = SendFlags::NOSIGNAL;
    sendmsg(to, &[IoSlice::new(b"l")], &mut ancillary, flags).step("watch over protected names")?;
    Ok(())
}

/// The side that decides.
pub(super) struct Broker {
    listener: OwnedFd,
    /// Projects, as they are named inside.
    projects: Vec<PathBuf>,
    /// Other things in them that are read-only, such as the skill itself: the directories above must not move away.
    fixed: Vec<PathBuf>,
    /// Files and directories that were made in them and are still there.
    created_files: u64,
    waiting: Vec<libc::seccomp_notif>,
}

impl Broker {
    /// Takes over what [`hand_over`] sent; nothing if the child has no project.
    pub(super) fn receive(
        from: &UnixStream,
        confinement: &Confinement,
    ) -> Result<Option<Self>, Refusal> {
        let projects: Vec<PathBuf> = confinement
            .projects
            .iter()
            .map(|mount| mount.inside.clone())
            .collect();
        if projects.is_empty() {
            return Ok(None);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut bytes = [IoSliceMut::new(&mut byte)];
        recvmsg(from, &mut bytes, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
            .step("watch over protected names")?;
        let listener = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut received) => received.next(),
            _ => None,
        });
        let listener = listener
            .ok_or_else(|| Refusal::system("watch over protected names", "nothing was sent"))?;
        let inside = |path: &Path| {
            let rest = projects
                .iter()
                .find_map(|project| path.strip_prefix(project).ok());
            rest.is_some_and(|rest| !is_protected(rest))
        };
        let mounts = confinement.mounts().into_iter();
        let fixed = mounts
            .filter(|(mount, access)| *access == Access::ReadOnly && inside(&mount.inside))
            .map(|(mount, _)| mount.inside)
            .collect();
        Ok(Some(Self {
            listener,
            projects,
            fixed,
            created_files: 0,
            waiting: Vec::new(),
        }))
    }

    /// Files and directories that the child created in its projects and did not remove.
    pub(super) fn created_files(&self) -> u64 {
        self.created_files
    }

    /// Answers one call. Blocks if there is none.
    pub(super) fn serve(&mut self) {
        // Gone again if the caller was killed meanwhile.
        if let Ok(notice) = filter::receive(&self.listener) {
            self.decide(notice);
        }
    }

    /// Looks again at calls that had to wait.
    pub(super) fn serve_waiting(&mut self) {
        for notice in std::mem::take(&mut self.waiting) {
            if self.waits(notice.id) {
                self.decide(notice);
            }
        }
    }

    fn decide(&mut self, notice: libc::seccomp_notif) {
        let answer = call::perform(self, &notice);
        let _ = match answer {
            Ok(call::BrokerReply::Done) => filter::answer(&self.listener, notice.id, 0),
            Ok(call::BrokerReply::Opened {
                file,
                close_on_exec,
            }) => filter::hand_out(&self.listener, notice.id, file.as_fd(), close_on_exec).or_else(
                |error| {
                    let error = error.raw_os_error().unwrap_or(libc::EMFILE);
                    filter::answer(&self.listener, notice.id, -error)
                },
            ),
            Ok(call::BrokerReply::Later) => {
                self.waiting.push(notice);
                Ok(())
            }
            Err(error) => filter::answer(&self.listener, notice.id, -error.raw_os_error()),
        };
    }

    /// Whether the caller still waits, and so is who it was when its memory was read.
    fn waits(&self, id: u64) -> bool {
        filter::is_valid(&self.listener, id)
    }

    fn in_project(&self, path: &Path) -> bool {
        self.projects
            .iter()
            .any(|project| path.starts_with(project))
    }

    /// Refuses to move a directory that something fixed lies in.
    fn check_moved(&self, parent: &Path, name: &OsStr) -> rustix::io::Result<()> {
        let moved = parent.join(name);
        if self.fixed.iter().any(|path| path.starts_with(&moved)) {
            return Err(READ_ONLY);
        }
        self.check_above(parent, name)
    }

    /// Refuses a name below which protected ones lie, where a call gives that name to what is there already.
    fn check_above(&self, parent: &Path, name: &OsStr) -> rustix::io::Result<()> {
        self.refuse(&parent.join(name), is_above_protected)
    }

    /// Refuses what is, or is below, a protected name of a project.
    fn check(&self, parent: &Path, name: &OsStr) -> rustix::io::Result<()> {
        self.refuse(&parent.join(name), is_protected)
    }

    fn refuse(&self, full: &Path, is_refused: fn(&Path) -> bool) -> rustix::io::Result<()> {
        let inner = |project: &PathBuf| full.strip_prefix(project).is_ok_and(is_refused);
        if self.projects.iter().any(inner) {
            return Err(READ_ONLY);
        }
        Ok(())
    }
}

impl AsFd for Broker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

/// Where an open file is.
fn path_of(file: impl AsFd) -> rustix::io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let link = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let text = rustix::fs::readlink(link, Vec::new())?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(
        text.into_bytes(),
    )))
}

fn last_error(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
