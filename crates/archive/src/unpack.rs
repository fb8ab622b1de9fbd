//! Unpacks an archive to a directory.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::entry::{Member, Summary};
use crate::error::Error;
use crate::limits::Limits;
use crate::scan::scan;
use crate::staging::{Staging, make_directory};

/// Sources ignore names that begin with a dot.
const PREFIX: &str = ".prowess-unpack-";

/// The result of unpacking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The totals of the archive.
    pub summary: Summary,
    /// The entries in the directory, in archive order.
    pub members: Vec<Member>,
}

/// Unpacks into a new directory, or leaves nothing behind.
///
/// The files are written to a private directory beside `destination`, which takes its place in one step when
/// everything was verified. Files have the mode `0644` or `0755`, as far as the umask lets them.
pub fn unpack(
    mut reader: impl Read + Seek,
    destination: &Path,
    limits: &Limits,
) -> Result<Tree, Error> {
    let refused = |source| Error::Destination {
        path: destination.to_owned(),
        source,
    };
    if fs::symlink_metadata(destination).is_ok() {
        return Err(Error::Exists(destination.to_owned()));
    }
    // A bare name has an empty parent, which is the working directory.
    let parent = match destination.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(refused(ErrorKind::InvalidInput.into())),
    };
    let private = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
    let private = private.map_err(refused)?;
    // One level down, because the private directory has a private mode.
    let root = open(private.path()).map_err(refused)?;
    make_directory(&root, "tree").map_err(refused)?;
    let directory = private.path().join("tree");
    let mut staging = Staging::new(open(&directory).map_err(refused)?);
    let scan = scan(&mut reader, limits, &mut |entry, content| {
        staging.write(entry, content)
    })?;
    staging.link(&scan.stored)?;
    drop(staging);
    match rename_new(&directory, destination) {
        Ok(()) => Ok(Tree {
            summary: scan.summary,
            members: scan.stored.into_iter().map(|it| it.member).collect(),
        }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Error::Exists(destination.to_owned()))
        }
        Err(error) => Err(refused(error)),
    }
}

fn open(directory: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(directory, ambient_authority())
}

/// Renames, unless the destination exists, even as an empty directory.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // File systems that do not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => fs::rename(from, to),
        moved => Ok(moved?),
    }
}

/// Renames; the caller checked that the destination does not exist.
#[cfg(not(target_os = "linux"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}
