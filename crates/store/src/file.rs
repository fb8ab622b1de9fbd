//! The file of a store before SQLite opens it: there, for its owner alone, and one that can be written.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::error::StoreError;

/// Files that SQLite creates beside a file, with the permissions of that file.
pub(crate) const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A new file must be closed by its creator before it is opened again in this process.
static MAKING: Mutex<()> = Mutex::new(());

/// Creates a missing file, and makes an existing one private.
///
/// An existing file is never opened. Closing it would release every lock of this process on it (as POSIX defines),
/// including those of another store in this process; other processes would then remove what that store still writes to.
pub(crate) fn prepare_file(path: &Path) -> Result<(), StoreError> {
    let refused = |_| StoreError::ReadOnly {
        path: path.to_owned(),
    };
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let exists = path.try_exists().map_err(refused)?;
    let prepared = if exists { keep(path) } else { make(path) };
    prepared.map_err(refused)
}

/// Creates a file and its parent directories, private from the start.
fn make(path: &Path) -> io::Result<()> {
    let mut directories = fs::DirBuilder::new();
    let mut options = fs::OpenOptions::new();
    directories.recursive(true);
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        directories.mode(0o700);
        options.mode(0o600);
    }
    directories.create(path.parent().unwrap_or(Path::new(".")))?;
    options.open(path).map(drop)
}

/// Takes the rights of others from a file of ours. SQLite would open one that cannot be written for reading only,
/// and fail much later.
#[cfg(unix)]
fn keep(path: &Path) -> io::Result<()> {
    use rustix::fs::Access;
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // SQLite follows a link first, and puts the others beside what it leads to.
    let path = &path.canonicalize()?;
    narrow(path);
    for end in BESIDE {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        narrow(Path::new(&name));
    }
    Ok(rustix::fs::access(path, Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn keep(path: &Path) -> io::Result<()> {
    fs::OpenOptions::new().append(true).open(path).map(drop)
}

/// Where that does not work, the store is as good as before.
#[cfg(unix)]
fn narrow(path: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    let mode = metadata.mode() & 0o7777;
    let ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if ours && metadata.is_file() && mode & 0o077 != 0 {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o600));
    }
}
