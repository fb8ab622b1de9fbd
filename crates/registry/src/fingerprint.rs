//! What a name holds, in one value that says whether it still holds the same.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use prowess_archive::limits::FILE_BYTES;
use prowess_policy::ContentDigest;
use prowess_sources::beneath::{Missing, open_real};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, readlinkat, statat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::tree::PackageTree;

/// Names that programs write on their own, without a person's doing.
const IGNORED: [&[u8]; 2] = [b".DS_Store", b"__pycache__"];
/// Directories in one another.
const DEPTH: usize = 100;

/// What a name holds. Two that are equal stand for the same content, regardless of owner and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fingerprint {
    /// Nothing.
    Absent,
    /// A symbolic link to this.
    Link(String),
    /// A file with this digest.
    File(String),
    /// A directory with this digest.
    Directory(String),
    /// A pipe, a socket, a device.
    Special,
}

impl Fingerprint {
    /// What a path holds; links above its last name are followed.
    pub fn of(path: &Path) -> io::Result<Self> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        // The usual case of what is installed first, without opening each directory above it.
        if std::fs::symlink_metadata(path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound) {
            return Ok(Self::Absent);
        }
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        match open_real(parent, None, Missing::Fail) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Absent),
            opened => Self::at(&opened?.0, name.as_encoded_bytes()),
        }
    }

    /// What a name of a directory holds.
    pub(crate) fn at(directory: &OwnedFd, name: &[u8]) -> io::Result<Self> {
        let found = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(Self::Absent),
            found => found?,
        };
        Ok(match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => {
                let target = readlinkat(directory, name, Vec::new())?;
                Self::Link(target.to_string_lossy().into_owned())
            }
            FileType::RegularFile => Self::File(rendered(file(directory.as_fd(), name, &found)?)),
            FileType::Directory => {
                let below = open_inside(directory.as_fd(), name)?;
                Self::Directory(rendered(of_entries(&entries(&below)?)))
            }
            _ => Self::Special,
        })
    }

    /// What a name will hold that a tree is written to.
    pub(crate) fn of_tree(tree: &PackageTree) -> Self {
        let mut entries: Vec<Entry> = tree
            .files()
            .map(|(path, file)| Entry {
                path: path.as_str().as_bytes().to_vec(),
                digest: of_bytes(&file.bytes, file.executable),
            })
            .collect();
        entries.sort();
        Self::Directory(rendered(of_entries(&entries)))
    }

    /// What a name will hold that is a link to this.
    pub(crate) fn of_link(target: &Path) -> Self {
        Self::Link(target.to_string_lossy().into_owned())
    }

    /// What a name will hold that a file with these bytes is written to.
    pub(crate) fn of_file(bytes: &[u8]) -> Self {
        Self::File(rendered(of_bytes(bytes, false)))
    }
}

/// A file or link in a directory.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    path: Vec<u8>,
    digest: [u8; 32],
}

/// The files and links below a name of a directory, sorted; none of what is no directory.
pub(crate) fn entries_at(directory: &OwnedFd, name: &str) -> io::Result<Vec<Entry>> {
    match open_inside(directory.as_fd(), name.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        opened => entries(&opened?),
    }
}

fn entries(directory: &OwnedFd) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    walk(directory, &[], 0, &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(
    directory: &OwnedFd,
    inside: &[u8],
    depth: usize,
    found: &mut Vec<Entry>,
) -> io::Result<()> {
    if depth > DEPTH {
        return Err(io::Error::other(format!(
            "more than {DEPTH} directories in one another"
        )));
    }
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." || IGNORED.contains(&name) {
            continue;
        }
        let mut path = inside.to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        let status = match statat(directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            // It was removed since its name was read.
            Err(Errno::NOENT) => continue,
            status => status?,
        };
        let digest = match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory => {
                let below = open_inside(directory.as_fd(), name)?;
                walk(&below, &path, depth + 1, found)?;
                continue;
            }
            FileType::RegularFile => file(directory.as_fd(), name, &status)?,
            FileType::Symlink => {
                let target = readlinkat(directory, entry.file_name(), Vec::new())?;
                let digest = Sha256::new().chain_update(b"link");
                digest.chain_update(target.as_bytes()).finalize().into()
            }
            _ => Sha256::digest(b"special").into(),
        };
        found.push(Entry { path, digest });
    }
    Ok(())
}

fn open_inside(directory: BorrowedFd<'_>, name: &[u8]) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(directory, name, flags, Mode::empty())?)
}

fn file(directory: BorrowedFd<'_>, name: &[u8], found: &Stat) -> io::Result<[u8; 32]> {
    if u64::try_from(found.st_size).unwrap_or(u64::MAX) > FILE_BYTES {
        // No file of ours is that large, and a stranger may have put it there: it is known by its place, size and time.
        let stamp = (
            found.st_ino,
            found.st_size,
            found.st_mtime,
            found.st_mtime_nsec,
        );
        let digest = Sha256::new().chain_update(b"large");
        return Ok(digest.chain_update(format!("{stamp:?}")).finalize().into());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(openat(directory, name, flags, Mode::empty())?);
    let mut hasher = of_kind(found.st_mode & 0o111 != 0);
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hasher.finalize().into());
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}

fn of_bytes(bytes: &[u8], executable: bool) -> [u8; 32] {
    of_kind(executable).chain_update(bytes).finalize().into()
}

fn of_kind(executable: bool) -> Sha256 {
    let kind: &[u8] = if executable { b"program" } else { b"file" };
    Sha256::new().chain_update(kind)
}

fn of_entries(entries: &[Entry]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for entry in entries {
        hasher.update((entry.path.len() as u64).to_le_bytes());
        hasher.update(&entry.path);
        hasher.update(entry.digest);
    }
    hasher.finalize().into()
}

fn rendered(digest: [u8; 32]) -> String {
    ContentDigest(digest).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stranger's sparse file is not read.
    #[test]
    fn q32_a_huge_file_is_known_by_its_place() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("huge");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let before = Fingerprint::of(&path).unwrap();
        assert_eq!(Fingerprint::of(&path).unwrap(), before);
        file.set_len((1 << 40) + 1).unwrap();
        assert_ne!(Fingerprint::of(&path).unwrap(), before);
    }
}
