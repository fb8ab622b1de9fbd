//! Writing entries below a directory handle.

use std::io::{self, ErrorKind, Read};

use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use crate::entry::{ArchiveEntry, EntryKind, Mode};
use crate::error::Error;
use crate::ledger::Stored;

/// A directory that is being filled.
///
/// Every file is new, and links are created after the last file: no link can be followed during unpacking.
pub(crate) struct Staging {
    root: Dir,
    /// The directory that was needed last, since entries of one directory come together.
    made: String,
}

impl Staging {
    pub(crate) fn new(root: Dir) -> Self {
        let made = String::new();
        Self { root, made }
    }

    /// Writes an entry; links to come have their directory made.
    pub(crate) fn write(&mut self, entry: &ArchiveEntry, content: &mut dyn Read) -> io::Result<()> {
        let path = entry.path.as_str();
        match &entry.kind {
            EntryKind::Directory => self.ensure(path),
            EntryKind::File(mode) => self.create(path, *mode, content),
            EntryKind::HardLink(first) => {
                let mut file = self.root.open(first.as_str())?;
                let mode = mode(&file)?;
                self.create(path, mode, &mut file)
            }
            EntryKind::Symlink(_) => self.ensure(parent(path)),
        }
    }

    /// Makes the links, of which all are known to stay inside.
    pub(crate) fn link(&self, stored: &[Stored]) -> Result<(), Error> {
        for ArchiveEntry { path, kind } in stored.iter().map(|stored| &stored.member.entry) {
            if let EntryKind::Symlink(target) = kind {
                symlink(&self.root, target, path.as_str()).map_err(|source| Error::Visit {
                    path: path.clone(),
                    source,
                })?;
            }
        }
        Ok(())
    }

    fn create(&mut self, path: &str, mode: Mode, content: &mut dyn Read) -> io::Result<()> {
        self.ensure(parent(path))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.mode(mode.bits());
        }
        #[cfg(not(unix))]
        let _ = mode;
        let mut file = self.root.open_with(path, &options)?;
        io::copy(content, &mut file).map(|_| ())
    }

    /// Makes a directory and those above it.
    fn ensure(&mut self, path: &str) -> io::Result<()> {
        if path.is_empty() || path == self.made {
            return Ok(());
        }
        match make_directory(&self.root, path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.ensure(parent(path))?;
                make_directory(&self.root, path)?;
            }
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        path.clone_into(&mut self.made);
        Ok(())
    }
}

/// Makes one directory with the mode `0755`, as far as the umask lets it.
pub(crate) fn make_directory(root: &Dir, path: &str) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use cap_std::fs::DirBuilderExt;
        builder.mode(Mode::Executable.bits());
    }
    root.create_dir_with(path, &builder)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(unix)]
fn mode(file: &cap_std::fs::File) -> io::Result<Mode> {
    use cap_std::fs::PermissionsExt;
    Ok(Mode::of_bits(file.metadata()?.permissions().mode()))
}

#[cfg(not(unix))]
fn mode(_: &cap_std::fs::File) -> io::Result<Mode> {
    Ok(Mode::Plain)
}

#[cfg(unix)]
fn symlink(root: &Dir, target: &str, path: &str) -> io::Result<()> {
    root.symlink(target, path)
}

/// Elsewhere a link must know whether it leads to a directory, and needs a privilege.
#[cfg(not(unix))]
fn symlink(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}
