//! From an archive to a directory.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tempfile::TempDir;

use crate::entry::{Member, Summary};
use crate::error::Error;
use crate::limits::Limits;
use crate::scan::scan;
use crate::staging::{Staging, make_directory};

/// A name that nothing looks for: sources skip what begins with a dot.
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
    let staging = private_directory(parent).map_err(refused)?;
    // One level down, because the private directory has a private mode.
    let root = open(staging.path()).map_err(refused)?;
    make_directory(&root, "tree").map_err(refused)?;
    let made = staging.path().join("tree");
    let tree = fill(&mut reader, &made, limits, destination)?;
    match move_to_nothing(&made, destination) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Error::Exists(destination.to_owned()))
        }
        moved => moved.map_err(refused).map(|()| tree),
    }
}

/// A tree in a temporary directory, which is removed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Extracted {
    directory: Arc<TempDir>,
    tree: Arc<Tree>,
}

impl Extracted {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Its entries.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// Unpacks into a new directory inside `parent`, which only its owner can enter.
pub fn unpack_temporary(
    mut reader: impl Read + Seek,
    parent: &Path,
    limits: &Limits,
) -> Result<Extracted, Error> {
    let directory = private_directory(parent).map_err(|source| Error::Destination {
        path: parent.to_owned(),
        source,
    })?;
    let path = directory.path().to_owned();
    let tree = fill(&mut reader, &path, limits, &path)?;
    Ok(Extracted {
        directory: Arc::new(directory),
        tree: Arc::new(tree),
    })
}

fn private_directory(parent: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)
}

fn open(directory: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(directory, ambient_authority())
}

/// Writes the whole archive below an empty directory.
fn fill(
    reader: &mut (impl Read + Seek),
    directory: &Path,
    limits: &Limits,
    destination: &Path,
) -> Result<Tree, Error> {
    let refused = |source| Error::Destination {
        path: PathBuf::from(destination),
        source,
    };
    let mut staging = Staging::new(open(directory).map_err(refused)?);
    let scan = scan(reader, limits, &mut |entry, content| {
        staging.write(entry, content)
    })?;
    staging.link(&scan.stored)?;
    Ok(Tree {
        summary: scan.summary,
        members: scan.stored.into_iter().map(|it| it.member).collect(),
    })
}

/// Renames, unless the destination exists, even as an empty directory.
#[cfg(target_os = "linux")]
fn move_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // File systems that do not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => fs::rename(from, to),
        moved => Ok(moved?),
    }
}

/// Renames; that there was nothing has been checked before.
#[cfg(not(target_os = "linux"))]
fn move_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}
