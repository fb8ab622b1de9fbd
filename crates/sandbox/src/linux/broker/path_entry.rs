//! Where a path of the caller leads, walked by us.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use super::path_of;

/// Bytes of a path, its end included.
const PATH_BYTES: usize = 4096;
/// Links that are followed before they count as a loop.
pub(super) const LINKS: usize = 40;

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The thread that made a call.
pub(super) struct Caller {
    thread: u32,
    process: u32,
    pub(super) umask: u32,
    memory: File,
}

impl Caller {
    pub(super) fn new(thread: u32) -> rustix::io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{thread}/status")).map_err(refused)?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let process = value("Tgid:").and_then(|text| text.trim().parse().ok());
        let umask = value("Umask:").and_then(|text| u32::from_str_radix(text.trim(), 8).ok());
        Ok(Self {
            thread,
            process: process.ok_or(Errno::SRCH)?,
            umask: umask.unwrap_or(0o022),
            memory: File::open(format!("/proc/{thread}/mem")).map_err(refused)?,
        })
    }

    /// The text behind a pointer of the caller's, which we read once and then never again.
    pub(super) fn text(&self, pointer: u64) -> rustix::io::Result<CString> {
        let mut bytes = Vec::new();
        let mut page = [0; PATH_BYTES];
        while bytes.len() < PATH_BYTES {
            // Up to the end of a page: what follows need not be there.
            let at = pointer.saturating_add(bytes.len() as u64);
            let rest = PATH_BYTES - usize::try_from(at % PATH_BYTES as u64).unwrap_or_default();
            let window = page.get_mut(..rest).unwrap_or_default();
            let read = self.memory.read_at(window, at).map_err(|_| Errno::FAULT)?;
            if read == 0 {
                return Err(Errno::FAULT);
            }
            let window = window.get(..read).unwrap_or_default();
            if let Some(end) = window.iter().position(|byte| *byte == 0) {
                bytes.extend_from_slice(window.get(..end).unwrap_or_default());
                return CString::new(bytes).map_err(|_| Errno::INVAL);
            }
            bytes.extend_from_slice(window);
        }
        Err(Errno::NAMETOOLONG)
    }

    /// The directory that a relative path begins at.
    pub(super) fn base(&self, descriptor: i32) -> rustix::io::Result<OwnedFd> {
        let link = if descriptor == libc::AT_FDCWD {
            format!("/proc/{}/cwd", self.thread)
        } else {
            format!("/proc/{}/fd/{descriptor}", self.thread)
        };
        openat(CWD, link, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(|error| {
            if error == Errno::NOENT {
                Errno::BADF
            } else {
                error
            }
        })
    }
}

#[allow(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn refused(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::ACCESS)
}

/// A name in a directory.
pub(super) struct PathEntry {
    pub(super) parent: OwnedFd,
    /// Where the directory is.
    pub(super) path: PathBuf,
    /// Without a slash; `.` is the directory itself.
    pub(super) name: OsString,
}

impl PathEntry {
    /// Walks to the last part of a path, whose links are followed, but not that of the last part itself.
    pub(super) fn find(caller: &Caller, base: impl AsFd, path: &OsStr) -> rustix::io::Result<Self> {
        let bytes = path.as_bytes();
        if bytes.is_empty() {
            return Err(Errno::NOENT);
        }
        let end = bytes
            .iter()
            .rposition(|byte| *byte != b'/')
            .map_or(0, |at| at + 1);
        let bytes = bytes.get(..end).unwrap_or_default();
        let cut = bytes
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |at| at + 1);
        let (directory, name) = bytes.split_at_checked(cut).unwrap_or_default();
        let (directory, name) = match name {
            // The root, or a directory by one of its other names.
            b"" => (b"/".as_slice(), b".".as_slice()),
            b"." | b".." => (bytes, b".".as_slice()),
            name if directory.is_empty() => (b".".as_slice(), name),
            name => (directory, name),
        };
        // A link of the process list is about the process that follows it, and that is not the caller.
        let how = ResolveFlags::NO_MAGICLINKS;
        let walk = |path: &OsStr| openat2(base.as_fd(), path, DIRECTORY, Mode::empty(), how);
        let mut parent = walk(OsStr::from_bytes(directory))?;
        let mut path = path_of(&parent)?;
        let own = format!("/proc/{}", std::process::id());
        if let Ok(rest) = path.strip_prefix(own) {
            path = Path::new("/proc")
                .join(caller.process.to_string())
                .join(rest);
            parent = walk(path.as_os_str())?;
        }
        Ok(Self {
            parent,
            path,
            name: OsString::from_vec(name.to_owned()),
        })
    }

    /// Where the link at this place leads.
    pub(super) fn follow(&self, caller: &Caller) -> rustix::io::Result<Self> {
        let target = rustix::fs::readlinkat(&self.parent, &self.name, Vec::new())?;
        Self::find(caller, &self.parent, OsStr::from_bytes(target.as_bytes()))
    }

    /// Whether its links lead to open files, wherever these are.
    pub(super) fn is_process_list(&self) -> bool {
        self.path.starts_with("/proc")
    }
}
