//! A directory of ours that the child has a copy of: in memory, so that its size bounds what is copied back.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;

use super::init::Task;
use crate::confinement::Confinement;
use crate::error::{Refusal, Step};

/// Directories within directories.
const DEPTH: usize = 64;
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

/// Copies our directory to the directory of the child.
pub(super) fn copy_in(task: &Task) -> Result<(), Refusal> {
    let (Some(mount), Some(ours)) = (&task.plan.confinement.copied, &task.copied) else {
        return Ok(());
    };
    let theirs = inside(&mount.inside).step("open the copied directory")?;
    copy(ours.as_fd(), theirs.as_fd(), DEPTH).request_step(format!(
        "copy `{}` for the program",
        mount.outside.display()
    ))
}

/// Copies the directory of the child back. No other process is left by now; what cannot be copied is lost.
pub(super) fn copy_out(confinement: &Confinement, ours: Option<&OwnedFd>) {
    let (Some(mount), Some(ours)) = (&confinement.copied, ours) else {
        return;
    };
    if let Ok(theirs) = inside(&mount.inside) {
        let _ = clear(ours.as_fd(), DEPTH);
        let _ = copy(theirs.as_fd(), ours.as_fd(), DEPTH);
    }
}

fn inside(path: &Path) -> rustix::io::Result<OwnedFd> {
    openat(CWD, path, DIRECTORY, Mode::empty())
}

/// Files, directories and links. Nothing else, and no mode but that of a plain file of ours.
fn copy(from: impl AsFd, to: impl AsFd, depth: usize) -> io::Result<()> {
    for entry in Dir::read_from(&from)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        match entry.file_type() {
            FileType::Directory if depth > 0 => {
                let inner = openat(&from, name, DIRECTORY, Mode::empty())?;
                mkdirat(&to, name, Mode::from_raw_mode(0o700))?;
                let outer = openat(&to, name, DIRECTORY, Mode::empty())?;
                copy(inner, outer, depth - 1)?;
            }
            FileType::RegularFile => {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
                let mut inner = File::from(openat(&from, name, flags, Mode::empty())?);
                let executable = fstat(&inner)?.st_mode & 0o100;
                let mode = Mode::from_raw_mode(0o600 | executable);
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                let mut outer = File::from(openat(&to, name, flags, mode)?);
                io::copy(&mut inner, &mut outer)?;
            }
            FileType::Symlink => {
                let target = readlinkat(&from, name, Vec::new())?;
                symlinkat(target.as_c_str(), &to, name)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn clear(directory: impl AsFd, depth: usize) -> rustix::io::Result<()> {
    let mut names = Vec::new();
    for entry in Dir::read_from(&directory)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    for name in names {
        match unlinkat(&directory, &name, AtFlags::empty()) {
            Err(Errno::ISDIR) if depth > 0 => {
                let inner = openat(&directory, &name, DIRECTORY, Mode::empty())?;
                clear(inner, depth - 1)?;
                unlinkat(&directory, &name, AtFlags::REMOVEDIR)?;
            }
            done => done?,
        }
    }
    Ok(())
}
