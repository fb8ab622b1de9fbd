//! Packages in a directory.
//!
//! `object_store` has a local file system, too. Ours replaces a damaged package, protects what is written from a removal
//! at the same time, and reads a package in one change of threads for each piece.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use prowess_policy::ContentDigest;

use super::error::{StorageError, check_size};
use super::file_stream::{Piece, read_piece};
use super::limits::{CHUNK, TEMPORARY_AGE};
use super::object_name::{ObjectName, PACKAGES};

/// Where files are written before they get their names. On the same file system, so that a rename is enough.
const TEMPORARY: &str = "temporary";
/// Locked by those who write (together) and by those who remove (alone).
const LOCK: &str = ".lock";

/// A directory. All functions block.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    root: PathBuf,
}

impl Directory {
    /// Opens a directory, which need not exist yet, and removes what was left by processes that were killed.
    pub(super) fn open(root: &Path) -> Result<Self, StorageError> {
        for directory in [PACKAGES, TEMPORARY] {
            let path = root.join(directory);
            fs::create_dir_all(&path).map_err(StorageError::io("create", &path))?;
        }
        let directory = Self {
            root: root.to_owned(),
        };
        directory.remove_temporary();
        Ok(directory)
    }

    fn path(&self, name: &ObjectName) -> PathBuf {
        self.root.join(name.as_str())
    }

    /// Stores an object. When this returns it is on disk; until then there is the old one or none.
    pub(super) fn put(&self, name: &ObjectName, bytes: &[u8]) -> Result<(), StorageError> {
        let path = self.path(name);
        let failed = |action| StorageError::io(action, &path);
        let parent = path.parent().unwrap_or(&self.root);
        if let Ok(mut file) = File::open(&path) {
            let _lock = self.lock(File::lock_shared)?;
            // Compared, not only found: a damaged package is repaired by publishing it again.
            if is_same(&mut file, bytes) && is_at(&file, &path) {
                // Otherwise it may be removed before a version refers to it.
                let touched = file.set_modified(SystemTime::now());
                touched.map_err(failed("update"))?;
                // The process that wrote it may not be done yet.
                return sync_directory(parent).map_err(failed("write"));
            }
        }
        let mut file = tempfile::Builder::new()
            .tempfile_in(self.root.join(TEMPORARY))
            .map_err(failed("write"))?;
        file.write_all(bytes).map_err(failed("write"))?;
        file.as_file().sync_all().map_err(failed("write"))?;
        fs::create_dir_all(parent).map_err(failed("write"))?;
        let lock = self.lock(File::lock_shared)?;
        let renamed = file.persist(&path);
        let file = renamed.map_err(|error| failed("write")(error.error))?;
        drop(lock);
        // Up to the root: each of the directories may be new.
        for directory in parent.ancestors() {
            sync_directory(directory).map_err(failed("write"))?;
            if directory == self.root {
                break;
            }
        }
        let stored = file.metadata().map_err(failed("read"))?.len();
        if stored == bytes.len() as u64 {
            return Ok(());
        }
        Err(StorageError::NotStored {
            object: name.as_str().to_owned(),
            expected: bytes.len() as u64,
            found: Some(stored),
        })
    }

    /// The size of an object, and the first piece of a range of it.
    pub(super) fn open_package(
        &self,
        name: &ObjectName,
        range: Option<Range<u64>>,
    ) -> Result<(u64, Piece), StorageError> {
        let path = self.path(name);
        let (mut file, size) = self.open_file(name)?;
        let range = range.unwrap_or(0..size);
        if range.start > size {
            return Err(StorageError::InvalidRange {
                start: range.start,
                size,
            });
        }
        if range.start > 0 {
            let sought = file.seek(SeekFrom::Start(range.start));
            sought.map_err(StorageError::io("read", &path))?;
        }
        let length = range.end.min(size).saturating_sub(range.start);
        let piece = read_piece(file, length).map_err(StorageError::io("read", &path))?;
        Ok((size, piece))
    }

    /// A whole object.
    pub(super) fn read(&self, name: &ObjectName, limit: u64) -> Result<Vec<u8>, StorageError> {
        let (file, size) = self.open_file(name)?;
        check_size(name, size, limit)?;
        let mut bytes = Vec::new();
        let read = file.take(limit).read_to_end(&mut bytes);
        read.map_err(StorageError::io("read", &self.path(name)))?;
        Ok(bytes)
    }

    fn open_file(&self, name: &ObjectName) -> Result<(File, u64), StorageError> {
        let path = self.path(name);
        let file = File::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => StorageError::NotFound {
                object: name.as_str().to_owned(),
            },
            _ => StorageError::io("read", &path)(source),
        })?;
        let metadata = file.metadata().map_err(StorageError::io("read", &path))?;
        Ok((file, metadata.len()))
    }

    /// Whether files can be read and written. A volume that is no longer mounted lacks what [`Self::open`] created.
    pub(super) fn check(&self) -> Result<(), StorageError> {
        for directory in [PACKAGES, TEMPORARY] {
            let path = self.root.join(directory);
            is_writable(&path).map_err(StorageError::io("write to", &path))?;
        }
        Ok(())
    }

    /// Packages that are not used and were not stored lately.
    pub(super) fn unused(
        &self,
        is_used: &impl Fn(ContentDigest) -> bool,
        older_than: Duration,
    ) -> Result<Vec<(PathBuf, ContentDigest)>, StorageError> {
        let mut unused = Vec::new();
        for directory in entries(&self.root.join(PACKAGES))? {
            for path in entries(&directory)? {
                let name = path.strip_prefix(&self.root).ok().and_then(Path::to_str);
                let digest = name.and_then(ObjectName::digest_of);
                let digest = digest.filter(|digest| is_old(&path, older_than) && !is_used(*digest));
                unused.extend(digest.map(|digest| (path, digest)));
            }
        }
        Ok(unused)
    }

    /// Removes them.
    pub(super) fn remove_unused(
        &self,
        is_used: impl Fn(ContentDigest) -> bool,
        older_than: Duration,
    ) -> Result<usize, StorageError> {
        self.remove_temporary();
        let mut removed = 0;
        for (path, digest) in self.unused(&is_used, older_than)? {
            // For each of them: a removal of many must not stop all writes.
            let _lock = self.lock(File::lock)?;
            if !is_old(&path, older_than) || is_used(digest) {
                continue;
            }
            match fs::remove_file(&path) {
                Ok(()) => removed += 1,
                // Another replica was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StorageError::io("remove", &path)(error)),
            }
        }
        Ok(removed)
    }

    /// Removes what a killed process was writing. What cannot be removed is found the next time.
    fn remove_temporary(&self) {
        for path in entries(&self.root.join(TEMPORARY)).unwrap_or_default() {
            if is_old(&path, TEMPORARY_AGE) {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn lock(&self, how: fn(&File) -> io::Result<()>) -> Result<Option<File>, StorageError> {
        let path = self.root.join(LOCK);
        let mut options = File::options();
        let open = options.create(true).truncate(false).write(true).open(&path);
        let file = open.map_err(StorageError::io("lock", &path))?;
        match how(&file) {
            Ok(()) => Ok(Some(file)),
            // Some network file systems have no locks. There, only the age protects what is new.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
            Err(error) => Err(StorageError::io("lock", &path)(error)),
        }
    }
}

/// The paths in a directory; none if it does not exist, or is a file.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let listed = fs::read_dir(directory).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect()
    });
    match listed {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Vec::new())
        }
        listed => listed.map_err(StorageError::io("read", directory)),
    }
}

/// Whether a file was last written that long ago. One with a time in the future was not.
fn is_old(path: &Path, age: Duration) -> bool {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    let elapsed = modified.ok().and_then(|time| time.elapsed().ok());
    elapsed.is_some_and(|elapsed| elapsed >= age)
}

/// Whether a file has these bytes.
fn is_same(file: &mut File, bytes: &[u8]) -> bool {
    let size = file.metadata().map(|metadata| metadata.len());
    if size.ok() != Some(bytes.len() as u64) {
        return false;
    }
    let mut buffer = vec![0; CHUNK.min(bytes.len())];
    bytes.chunks(CHUNK).all(|expected| {
        let buffer = buffer.get_mut(..expected.len());
        buffer.is_some_and(|buffer| file.read_exact(buffer).is_ok() && buffer == expected)
    })
}

/// Whether the open file is still the one with this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (open, named) = (file.metadata().map(id), fs::metadata(path).map(id));
    open.is_ok_and(|open| named.is_ok_and(|named| open == named))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata: Metadata| metadata.is_file())
}

/// Waits until the names in a directory are on disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

#[cfg(unix)]
fn is_writable(directory: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(directory, Access::WRITE_OK | Access::EXEC_OK)?)
}

#[cfg(not(unix))]
fn is_writable(directory: &Path) -> io::Result<()> {
    fs::metadata(directory).map(|_| ())
}
