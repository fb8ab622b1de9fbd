//! The calls, made in the place of the caller.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use libc::{c_long, seccomp_notif};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, fcntl_getfl, fcntl_setfl, fstat, ftruncate,
    linkat, mkdirat, mknodat, openat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::umask;

use super::path_entry::{Caller, LINKS, PathEntry};
use super::{Broker, path_of};

/// The result of a successful call.
pub(super) enum BrokerReply {
    Done,
    Opened {
        file: OwnedFd,
        close_on_exec: bool,
    },
    /// The caller has to wait: the pipe that it opens has no reader yet.
    Later,
}

/// A call without the differences between its older and newer forms.
struct Request<'a> {
    broker: &'a mut Broker,
    caller: Caller,
    id: u64,
    arguments: [u64; 6],
}

/// The lower half of an argument, which is all that the kernel looks at.
#[allow(clippy::cast_possible_truncation, reason = "that is what it is for")]
fn low(argument: u64) -> u32 {
    argument as u32
}

pub(super) fn perform(
    broker: &mut Broker,
    notice: &seccomp_notif,
) -> rustix::io::Result<BrokerReply> {
    let caller = Caller::new(notice.pid)?;
    umask(Mode::from_raw_mode(caller.umask));
    let here = u64::from(libc::AT_FDCWD.cast_unsigned());
    let [a, b, c, ..] = notice.data.args;
    let number = c_long::from(notice.data.nr);
    #[cfg(target_arch = "x86_64")]
    let (number, arguments) = {
        let creat = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
        let removedir = u64::from(AtFlags::REMOVEDIR.bits());
        match number {
            libc::SYS_open => (libc::SYS_openat, [here, a, b, c, 0, 0]),
            libc::SYS_creat => (
                libc::SYS_openat,
                [here, a, u64::from(creat.unsigned_abs()), b, 0, 0],
            ),
            libc::SYS_mkdir => (libc::SYS_mkdirat, [here, a, b, 0, 0, 0]),
            libc::SYS_mknod => (libc::SYS_mknodat, [here, a, b, c, 0, 0]),
            libc::SYS_symlink => (libc::SYS_symlinkat, [a, here, b, 0, 0, 0]),
            libc::SYS_link => (libc::SYS_linkat, [here, a, here, b, 0, 0]),
            libc::SYS_rename => (libc::SYS_renameat2, [here, a, here, b, 0, 0]),
            libc::SYS_unlink => (libc::SYS_unlinkat, [here, a, 0, 0, 0, 0]),
            libc::SYS_rmdir => (libc::SYS_unlinkat, [here, a, removedir, 0, 0, 0]),
            _ => (number, notice.data.args),
        }
    };
    #[cfg(not(target_arch = "x86_64"))]
    let arguments = notice.data.args;
    let arguments = match number {
        // The older form has no flags, so what is in their place is anything.
        libc::SYS_renameat => {
            let [a, b, c, d, ..] = arguments;
            [a, b, c, d, 0, 0]
        }
        libc::SYS_truncate => [here, a, b, 0, 0, 0],
        _ => arguments,
    };
    let mut request = Request {
        broker,
        caller,
        id: notice.id,
        arguments,
    };
    match number {
        libc::SYS_openat => request.open(),
        libc::SYS_mkdirat => request.make_directory(),
        libc::SYS_mknodat => request.make_node(),
        libc::SYS_symlinkat => request.link_symbolically(),
        libc::SYS_linkat => request.link(),
        libc::SYS_renameat | libc::SYS_renameat2 => request.rename(),
        libc::SYS_unlinkat => request.remove(),
        libc::SYS_truncate => request.truncate(),
        _ => Err(Errno::NOSYS),
    }
}

impl Request<'_> {
    /// The place that two of the arguments name, before any check.
    fn place(&self, directory: u64, path: u64) -> rustix::io::Result<PathEntry> {
        let path = self.caller.text(path)?;
        let directory = low(directory).cast_signed();
        let absolute = path.as_bytes().starts_with(b"/");
        let base = if absolute { libc::AT_FDCWD } else { directory };
        let base = self.caller.base(base)?;
        if !self.broker.waits(self.id) {
            // Another process may have its number by now.
            return Err(Errno::SRCH);
        }
        PathEntry::find(&self.caller, base, OsStr::from_bytes(path.as_bytes()))
    }

    /// The same, where nothing protected is.
    fn open_place(&self, directory: u64, path: u64) -> rustix::io::Result<PathEntry> {
        let place = self.place(directory, path)?;
        self.broker.check(&place.path, &place.name)?;
        Ok(place)
    }

    fn is_new(&self, place: &PathEntry) -> bool {
        self.broker.in_project(&place.path)
            && statat(&place.parent, &place.name, AtFlags::SYMLINK_NOFOLLOW).is_err()
    }

    fn count(&mut self, created: bool) {
        self.broker.created_files = self.broker.created_files.saturating_add(created.into());
    }

    fn open(&mut self) -> rustix::io::Result<BrokerReply> {
        let [directory, path, flags, mode, ..] = self.arguments;
        let flags = OFlags::from_bits_retain(low(flags));
        let place = self.place(directory, path)?;
        match self.open_at(place, flags, Mode::from_raw_mode(low(mode))) {
            Ok(file) => Ok(BrokerReply::Opened {
                file,
                close_on_exec: flags.contains(OFlags::CLOEXEC),
            }),
            Err(Errno::AGAIN) if !flags.contains(OFlags::NONBLOCK) => Ok(BrokerReply::Later),
            Err(error) => Err(error),
        }
    }

    fn open_at(
        &mut self,
        mut place: PathEntry,
        flags: OFlags,
        mode: Mode,
    ) -> rustix::io::Result<OwnedFd> {
        // Emptied only once it is known what it is; and never waited for, since others wait for us.
        let ours = flags.difference(OFlags::TRUNC)
            | OFlags::CLOEXEC
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::NOCTTY;
        for _ in 0..LINKS {
            self.broker.check(&place.path, &place.name)?;
            let new = flags.contains(OFlags::CREATE) && self.is_new(&place);
            let opened = match openat(&place.parent, &place.name, ours, mode) {
                Err(Errno::LOOP) if !flags.contains(OFlags::NOFOLLOW) => {
                    if !place.is_process_list() {
                        place = place.follow(&self.caller)?;
                        continue;
                    }
                    // A file that the caller has open already.
                    let again = ours.difference(OFlags::NOFOLLOW | OFlags::CREATE | OFlags::EXCL);
                    openat(&place.parent, &place.name, again, Mode::empty())?
                }
                Err(Errno::NXIO) if is_pipe(&place) => return Err(Errno::AGAIN),
                opened => opened?,
            };
            self.count(new);
            self.finish_open(&opened, flags)?;
            return Ok(opened);
        }
        Err(Errno::LOOP)
    }

    fn finish_open(&self, file: &OwnedFd, flags: OFlags) -> rustix::io::Result<()> {
        let path = path_of(file)?;
        self.broker.check(&path, OsStr::new(""))?;
        if flags.contains(OFlags::PATH) {
            return Ok(());
        }
        let kind = FileType::from_raw_mode(fstat(file)?.st_mode);
        if flags.contains(OFlags::TRUNC) && kind == FileType::RegularFile {
            ftruncate(file, 0)?;
        }
        if !flags.contains(OFlags::NONBLOCK) {
            let now = fcntl_getfl(file)?;
            fcntl_setfl(file, now.difference(OFlags::NONBLOCK))?;
        }
        Ok(())
    }

    fn truncate(&mut self) -> rustix::io::Result<BrokerReply> {
        let [directory, path, size, ..] = self.arguments;
        let place = self.place(directory, path)?;
        let file = self.open_at(place, OFlags::WRONLY, Mode::empty())?;
        ftruncate(file, size)?;
        Ok(BrokerReply::Done)
    }

    fn make_directory(&mut self) -> rustix::io::Result<BrokerReply> {
        let [directory, path, mode, ..] = self.arguments;
        let place = self.open_place(directory, path)?;
        mkdirat(&place.parent, &place.name, Mode::from_raw_mode(low(mode)))?;
        self.count(self.broker.in_project(&place.path));
        Ok(BrokerReply::Done)
    }

    fn make_node(&mut self) -> rustix::io::Result<BrokerReply> {
        let [directory, path, mode, device, ..] = self.arguments;
        let place = self.open_place(directory, path)?;
        let kind = FileType::from_raw_mode(low(mode));
        // No kind at all means a plain file.
        let kind = if low(mode) & libc::S_IFMT == 0 {
            FileType::RegularFile
        } else {
            kind
        };
        let mode = Mode::from_raw_mode(low(mode) & 0o7777);
        mknodat(&place.parent, &place.name, kind, mode, device)?;
        self.count(self.broker.in_project(&place.path));
        Ok(BrokerReply::Done)
    }

    fn link_symbolically(&mut self) -> rustix::io::Result<BrokerReply> {
        let [target, directory, path, ..] = self.arguments;
        let target = self.caller.text(target)?;
        let place = self.open_place(directory, path)?;
        self.broker.check_above(&place.path, &place.name)?;
        symlinkat(target.as_c_str(), &place.parent, &place.name)?;
        self.count(self.broker.in_project(&place.path));
        Ok(BrokerReply::Done)
    }

    fn link(&mut self) -> rustix::io::Result<BrokerReply> {
        let [old_directory, old_path, directory, path, flags, ..] = self.arguments;
        let flags = AtFlags::from_bits_retain(low(flags));
        let mut old = self.open_place(old_directory, old_path)?;
        let place = self.open_place(directory, path)?;
        if !AtFlags::SYMLINK_FOLLOW.contains(flags) {
            return Err(Errno::INVAL);
        }
        if flags.contains(AtFlags::SYMLINK_FOLLOW) && !old.is_process_list() {
            for _ in 0..LINKS {
                match old.follow(&self.caller) {
                    Ok(next) => old = next,
                    Err(Errno::INVAL) => break,
                    Err(error) => return Err(error),
                }
            }
            self.broker.check(&old.path, &old.name)?;
        }
        let (from, to) = (old.parent.as_fd(), place.parent.as_fd());
        if old.is_process_list() {
            // A file that the caller has open, and that may have no name yet.
            let file = openat(
                from,
                &old.name,
                OFlags::PATH | OFlags::CLOEXEC,
                Mode::empty(),
            )?;
            self.broker.check(&path_of(&file)?, OsStr::new(""))?;
        }
        let flags = if old.is_process_list() {
            flags
        } else {
            AtFlags::empty()
        };
        linkat(from, &old.name, to, &place.name, flags)?;
        self.count(self.broker.in_project(&place.path));
        Ok(BrokerReply::Done)
    }

    fn rename(&mut self) -> rustix::io::Result<BrokerReply> {
        let [old_directory, old_path, directory, path, flags, ..] = self.arguments;
        let old = self.open_place(old_directory, old_path)?;
        let new = self.open_place(directory, path)?;
        let flags = RenameFlags::from_bits_retain(low(flags));
        self.broker.check_moved(&old.path, &old.name)?;
        // The other one moves as well where they are exchanged.
        self.broker.check_moved(&new.path, &new.name)?;
        renameat_with(&old.parent, &old.name, &new.parent, &new.name, flags)?;
        Ok(BrokerReply::Done)
    }

    fn remove(&mut self) -> rustix::io::Result<BrokerReply> {
        let [directory, path, flags, ..] = self.arguments;
        let place = self.open_place(directory, path)?;
        unlinkat(
            &place.parent,
            &place.name,
            AtFlags::from_bits_retain(low(flags)),
        )?;
        if self.broker.in_project(&place.path) {
            self.broker.created_files = self.broker.created_files.saturating_sub(1);
        }
        Ok(BrokerReply::Done)
    }
}

fn is_pipe(place: &PathEntry) -> bool {
    let found = statat(&place.parent, &place.name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Fifo)
}
