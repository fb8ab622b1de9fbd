//! What the host and the launcher say to each other, over a socket that no other process sees: arguments and
//! environment of a process can be read by its neighbours.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::command::{Command, Launcher};
use crate::confinement::Confinement;
use crate::error::Refusal;
use crate::excess::Excess;
use crate::layers::{Layers, ProcessBound};
use crate::limits::{PLAN_BYTES, REPORT_BYTES};

/// Descriptors that travel with a plan, at most: the three streams, the socket to the host, and a directory of ours.
pub(super) const DESCRIPTORS: usize = 5;

/// What the launcher is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) stage: Stage,
    pub(super) job: Job,
    pub(super) confinement: Confinement,
    /// How the second stage of [`Stage::Bubblewrap`] is started.
    pub(super) launcher: Launcher,
    /// What bounds the number of processes; only the guard can tell.
    pub(super) processes: ProcessBound,
}

impl Plan {
    pub(super) fn new(
        stage: Stage,
        job: Job,
        confinement: Confinement,
        launcher: Launcher,
    ) -> Self {
        Self {
            stage,
            job,
            confinement,
            launcher,
            processes: ProcessBound::Unbounded,
        }
    }
}

/// Where the launcher is, and what is left to build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Outside; build everything.
    Direct,
    /// Outside; have that program build the namespaces.
    Bubblewrap(#[serde(with = "crate::os_path")] PathBuf),
    /// Inside namespaces that bubblewrap built.
    Inside,
    /// Outside, and it stays so.
    Bare,
}

/// What is done once inside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Job {
    Run(Command),
    /// Nothing: tell which layers stand, and end.
    Probe,
}

/// What the launcher says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The program runs.
    Started(Layers),
    /// The program did not run and will not.
    Refused(Refusal),
    /// The program ended, with this wait status; of itself, or for this reason.
    Exited { status: i32, excess: Option<Excess> },
}

pub(super) fn send_plan(
    socket: impl AsFd,
    plan: &Plan,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let body = serde_json::to_vec(plan)?;
    let size = u32::try_from(body.len()).map_err(io::Error::other)?;
    if size > PLAN_BYTES {
        return Err(io::ErrorKind::ArgumentListTooLong.into());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let head = size.to_le_bytes();
    let sent = sendmsg(
        &socket,
        &[IoSlice::new(&head)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )?;
    if sent != head.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    let mut rest = body.as_slice();
    while !rest.is_empty() {
        let sent =
            rustix::io::retry_on_intr(|| rustix::net::send(&socket, rest, SendFlags::NOSIGNAL))?;
        rest = rest.get(sent..).unwrap_or_default();
    }
    Ok(())
}

pub(super) fn receive_plan(socket: &mut UnixStream) -> io::Result<(Plan, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut head = [0; 4];
    let received = recvmsg(
        &*socket,
        &mut [IoSliceMut::new(&mut head)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL,
    )?;
    if received.bytes != head.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    let plan = read_body(socket, u32::from_le_bytes(head), PLAN_BYTES)?;
    Ok((plan, descriptors))
}

pub(super) fn send_report(socket: &UnixStream, report: &Report) -> io::Result<()> {
    let body = serde_json::to_vec(report)?;
    let size = u32::try_from(body.len()).map_err(io::Error::other)?;
    let mut message = size.to_le_bytes().to_vec();
    message.extend(body);
    (&mut &*socket).write_all(&message)
}

/// The next report; `None` when the launcher is gone.
pub(super) fn receive_report(socket: &UnixStream) -> io::Result<Option<Report>> {
    let mut reader = socket;
    let mut head = [0; 4];
    match reader.read_exact(&mut head) {
        Ok(()) => read_body(&mut reader, u32::from_le_bytes(head), REPORT_BYTES).map(Some),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_body<T: DeserializeOwned>(reader: &mut impl Read, size: u32, most: u32) -> io::Result<T> {
    if size > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = Vec::new();
    reader.take(size.into()).read_to_end(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
