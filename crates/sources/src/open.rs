//! Opening what may not be a file at all.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a path for reading without ever waiting for somebody at the other end of a pipe.
///
/// What it opened may still be a directory, a pipe or a device: ask the handle before reading from it.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}
