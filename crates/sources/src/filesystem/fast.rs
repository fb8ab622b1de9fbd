//! All of a usual skill in as few system calls as there can be.
//!
//! Usual means: files and directories, no links, nothing too large, a `SKILL.md` with this spelling. Everything else is
//! left to the full reader.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use prowess_spec::{SKILL_FILE, SkillPath};
use rustix::fs::{FileType, Mode, OFlags, RawDir, ResolveFlags, fstat, open, openat2};
use rustix::io::read;

use super::files::{MAX_DEPTH, MAX_FILES};

/// Every file with its bytes, `SKILL.md` first; nothing if the skill is not a usual one.
pub(super) fn contents(
    directory: &Path,
    max_files: usize,
    max_bytes: u64,
) -> Option<Vec<(SkillPath, Vec<u8>)>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = open(directory, flags, Mode::empty()).ok()?;
    let mut paths = Vec::new();
    list(&root, "", 0, &mut paths)?;
    if paths.len() > max_files.min(MAX_FILES) {
        return None;
    }
    paths.sort_unstable();
    let own = paths.iter().position(|path| path.as_str() == SKILL_FILE)?;
    let own = paths.remove(own);
    if paths
        .iter()
        .any(|it| prowess_spec::is_skill_file(it.as_str()))
    {
        return None;
    }
    let mut left = max_bytes;
    let mut files = Vec::with_capacity(paths.len() + 1);
    for path in [own].into_iter().chain(paths) {
        let bytes = whole(&root, path.as_str(), &mut left)?;
        files.push((path, bytes));
    }
    Some(files)
}

/// Opens what is beneath a directory, through no link.
fn beneath(directory: &OwnedFd, path: &str, flags: OFlags) -> Option<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC;
    openat2(directory, path, flags, Mode::empty(), resolve).ok()
}

fn list(directory: &OwnedFd, prefix: &str, depth: usize, paths: &mut Vec<SkillPath>) -> Option<()> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(directory.as_fd(), &mut buffer);
    let mut below = Vec::new();
    while let Some(entry) = entries.next() {
        let entry = entry.ok()?;
        let Ok(name) = entry.file_name().to_str() else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        match entry.file_type() {
            FileType::RegularFile => {
                if let Ok(path) = SkillPath::parse(&format!("{prefix}{name}")) {
                    paths.push(path);
                }
            }
            FileType::Directory if depth < MAX_DEPTH => below.push(name.to_owned()),
            FileType::Symlink | FileType::Unknown => return None,
            _ => {}
        }
    }
    for name in below {
        let inner = beneath(directory, &name, OFlags::DIRECTORY)?;
        list(&inner, &format!("{prefix}{name}/"), depth + 1, paths)?;
    }
    Some(())
}

/// The bytes of a file, if it has the expected length.
fn whole(root: &OwnedFd, path: &str, left: &mut u64) -> Option<Vec<u8>> {
    let file = beneath(root, path, OFlags::NONBLOCK)?;
    let stat = fstat(&file).ok()?;
    let size = u64::try_from(stat.st_size).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || size > *left {
        return None;
    }
    *left -= size;
    let size = usize::try_from(size).ok()?;
    // One byte more than there should be: to be given fewer means that this was the end.
    let mut bytes = Vec::with_capacity(size + 1);
    let count = read(&file, rustix::buffer::spare_capacity(&mut bytes)).ok()?;
    (count == size).then_some(bytes)
}
