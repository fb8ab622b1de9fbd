//! Opens paths that may not be regular files.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::stamp::Stamp;

/// Opens a path for reading without blocking on a pipe.
///
/// The result can be a directory, a pipe or a device: check the handle before reading from it.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// The same for a file of a directory. A link is followed if it stays below the directory; one that leaves it is
/// refused with [`io::ErrorKind::PermissionDenied`].
pub fn open_in(directory: &Path, name: &str) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::{fs::OFlags, io::Errno};
        // Nearly every file is no link, and this is the fastest way to open those.
        let opened = open(&directory.join(name), OFlags::NOFOLLOW.bits());
        match opened {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {}
            opened => return opened,
        }
    }
    let directory = cap_std::fs::Dir::open_ambient_dir(directory, cap_std::ambient_authority())?;
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    directory
        .open_with(name, &options)
        .map(cap_std::fs::File::into_std)
}

/// Bytes of a path that is joined without an allocation.
#[cfg(unix)]
const PATH_BYTES: usize = 256;

#[cfg(unix)]
fn joined<'b>(directory: &str, name: &str, buffer: &'b mut [u8; PATH_BYTES]) -> Option<&'b [u8]> {
    let separator = if directory.is_empty() { "" } else { "/" };
    let mut end = 0;
    for part in [directory, separator, name] {
        let next = end + part.len();
        buffer.get_mut(end..next)?.copy_from_slice(part.as_bytes());
        end = next;
    }
    buffer.get(..end)
}

/// A directory with a handle: the system resolves only the relative part of a path below it.
pub(crate) struct OpenDirectory<'p> {
    path: &'p Path,
    #[cfg(unix)]
    handle: Option<std::os::fd::OwnedFd>,
}

impl<'p> OpenDirectory<'p> {
    pub(crate) fn new(path: &'p Path) -> Self {
        #[cfg(unix)]
        use rustix::fs::{Mode, OFlags};
        Self {
            path,
            #[cfg(unix)]
            handle: rustix::fs::open(
                path,
                OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
                Mode::empty(),
            )
            .ok(),
        }
    }

    /// Opens a file of a directory below this one, as [`open_in`] does.
    pub(crate) fn open_in(&self, directory: &str, name: &str) -> io::Result<File> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            use rustix::fs::{Mode, OFlags};
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let mut buffer = [0; PATH_BYTES];
            let opened = if let Some(path) = joined(directory, name, &mut buffer) {
                rustix::fs::openat(handle, path, flags, Mode::empty())
            } else {
                let path = Path::new(directory).join(name);
                rustix::fs::openat(handle, &path, flags, Mode::empty())
            };
            match opened {
                Ok(file) => return Ok(file.into()),
                Err(rustix::io::Errno::LOOP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        open_in(&self.path.join(directory), name)
    }

    /// The state of a file or a directory below this one. A link is not followed.
    pub(crate) fn stamp(&self, directory: &str, name: &str) -> io::Result<Stamp> {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            use rustix::fs::{AtFlags, statat};
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            let mut buffer = [0; PATH_BYTES];
            let stat = if let Some(path) = joined(directory, name, &mut buffer) {
                statat(handle, path, flags)
            } else {
                statat(handle, Path::new(directory).join(name), flags)
            };
            return Ok(stat?.into());
        }
        let path = self.path.join(directory).join(name);
        Ok(Stamp::new(&std::fs::symlink_metadata(path)?))
    }
}

fn open(path: &Path, flags: u32) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = flags | rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(flags.cast_signed());
    }
    options.open(path)
}
