//! Temporary names of files that are exchanged with the file of a skill.
//!
//! Such a name says what may be found under it: what the server was told to write, and what it was told to replace. After
//! a kill, both may go. Anything else is what a person wrote in the last moment.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, openat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::beneath::suffix;

/// How these names begin.
const EXCHANGED: &str = ".prowess-exchanged-";
/// In the place of a digest, for nothing.
const NOTHING: &str = "nothing";

/// The temporary name for a file that is replaced.
pub(super) fn exchange_name(before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let digest = |bytes: Option<&[u8]>| bytes.map_or_else(|| NOTHING.to_owned(), digest);
    format!(
        "{EXCHANGED}{}-{}-{}",
        suffix(),
        digest(before),
        digest(after)
    )
}

/// Removes what killed processes left under such names; what a person wrote gets a name that is not hidden. The caller
/// holds the lock of the directory, so that no process is at work.
pub(super) fn settle(root: &OwnedFd) -> io::Result<()> {
    for entry in Dir::read_from(root)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else {
            continue;
        };
        let Some(stated) = name.strip_prefix(EXCHANGED) else {
            continue;
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(openat(root, name, flags, Mode::empty())?);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let found = digest(&bytes);
        if stated.split('-').skip(2).any(|known| known == found) {
            unlinkat(root, name, AtFlags::empty())?;
        } else {
            keep(root, name)?;
        }
    }
    Ok(())
}

/// The length and a hash. Should another version of Rust have another hash, more is taken for what a person wrote.
fn digest(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:x}x{:016x}", bytes.len(), hasher.finish())
}

fn keep(root: &OwnedFd, name: &str) -> io::Result<()> {
    let mut number = 1;
    loop {
        let visible = format!("saved-by-prowess-{number}");
        match renameat_with(root, name, root, &visible, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => number += 1,
            renamed => return Ok(renamed?),
        }
    }
}
