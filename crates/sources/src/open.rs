//! Opens paths that may not be regular files.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a path for reading without blocking on a pipe.
///
/// The result can be a directory, a pipe or a device: check the handle before reading from it.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// The same for a file of a directory. A link is followed if it stays below the directory; one that leaves it is
/// refused with [`io::ErrorKind::PermissionDenied`].
pub(crate) fn open_in(directory: &Path, name: &str) -> io::Result<File> {
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
