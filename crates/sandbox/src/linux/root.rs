//! A new root for the child, and the end of the old one.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat, symlinkat};
use rustix::io::Errno;
use rustix::mount::{MountAttrFlags, MountPropagationFlags, UnmountFlags, mount_change, unmount};
use rustix::process::{fchdir, pivot_root};

use super::layout::{DEVICES, LayoutEntry, layout};
use super::mounts::{self, HARMLESS, Reach};
use crate::confinement::{Access, Confinement, Mount};
use crate::error::{Cause, Refusal, Step};
use crate::limits::SCRATCH_PER_FILE;

/// Bytes of the root itself, which holds empty directories and a few texts.
const ROOT_BYTES: u64 = 4 * 1024 * 1024;
/// Where the new root is put until it is the root. It is there on every system, and everything below it that we need
/// is open by then.
const STAGING: &str = "/usr";

const READ_ONLY: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_RDONLY;
const NO_EXEC: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_NOEXEC;

/// Replaces the root of this process by one that has only what the confinement names.
pub(super) fn build(confinement: &Confinement) -> Result<(), Refusal> {
    let propagation = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", propagation).step("separate mounts")?;
    // Everything of the old root is opened before the new one covers a part of it.
    let mut ready = Vec::new();
    for entry in layout(confinement) {
        let tree = match &entry {
            LayoutEntry::Mount { mount, access } => Some(open(&mount.outside, *access)?),
            _ => None,
        };
        ready.push((entry, tree));
    }
    let mut devices = Vec::new();
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        let device = mounts::detached(&path).step(format!("open `{}`", path.display()))?;
        // Read-only is about the node, not about what is behind it: without that, the superuser's child could change
        // the permissions of the one that everybody uses.
        let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | NO_EXEC | READ_ONLY;
        mounts::restrict(&device, attributes, Reach::This).step("restrict a device")?;
        devices.push((path, device));
    }
    let root = tmpfs(ROOT_BYTES, 2048, "755").step("make a root")?;
    let staging = mounts::place(CWD, Path::new(STAGING)).step("find a place for the root")?;
    mounts::attach(&root, staging).step("mount the root")?;
    let memory = scratch(&root, confinement)?;
    for (path, device) in devices {
        file(&root, &path, b"")?;
        put(&root, &path, &device)?;
    }
    process_list(&root)?;
    let mut layers = 0;
    for (entry, tree) in ready {
        match entry {
            LayoutEntry::Mount {
                mount,
                access: Access::Layered,
            } => {
                layers += 1;
                let tree = tree.and_then(|below| layered(&memory, layers, &mount, below));
                realise(
                    &root,
                    LayoutEntry::Mount {
                        mount,
                        access: Access::Layered,
                    },
                    tree,
                )?;
            }
            LayoutEntry::Hidden(path) => hide(&root, &memory, &path)?,
            entry => realise(&root, entry, tree)?,
        }
    }
    drop(memory);
    forget_scratch(&root)?;
    mounts::restrict(&root, READ_ONLY, Reach::This).step("make the root read-only")?;
    fchdir(&root).step("enter the root")?;
    pivot_root(".", ".").step("change the root")?;
    unmount(".", UnmountFlags::DETACH).step("leave the old root")?;
    rustix::process::chdir("/").step("enter the root")
}

fn open(path: &Path, access: Access) -> Result<OwnedFd, Refusal> {
    let step = || format!("mount `{}`", path.display());
    let tree = mounts::detached(path).map_err(|error| match error {
        Errno::LOOP => Refusal::request(step(), "there is a link on the way"),
        Errno::NOENT | Errno::ACCESS | Errno::NOTDIR => Refusal::request(step(), &error),
        other => Refusal::system(step(), &other),
    })?;
    let attributes = match access {
        Access::ReadOnly | Access::Layered => HARMLESS | READ_ONLY,
        Access::ReadWrite => HARMLESS,
    };
    mounts::restrict(&tree, attributes, Reach::Below).step(step())?;
    Ok(tree)
}

fn realise(root: &OwnedFd, entry: LayoutEntry, tree: Option<OwnedFd>) -> Result<(), Refusal> {
    match (entry, tree) {
        (LayoutEntry::Mount { mount, .. }, Some(tree)) => {
            point(root, &mount.inside, &tree)?;
            put(root, &mount.inside, &tree)
        }
        (LayoutEntry::Mount { .. }, None) | (LayoutEntry::Hidden(_), _) => Ok(()),
        (LayoutEntry::Directory(path), _) => directory(root, &path),
        (LayoutEntry::Text { place, text }, _) => file(root, &place, &text),
        (LayoutEntry::Link { place, target }, _) => {
            above(root, &place)?;
            symlinkat(target.as_path(), root, relative(&place))
                .step(format!("link `{}`", place.display()))
        }
    }
}

/// Makes the place for a mount, which is a directory or a file like what is mounted.
fn point(root: &OwnedFd, path: &Path, tree: &OwnedFd) -> Result<(), Refusal> {
    if mounts::place(root, &relative(path)).is_ok() {
        return Ok(());
    }
    let status = rustix::fs::fstat(tree).step("look at a mount")?;
    let made = match rustix::fs::FileType::from_raw_mode(status.st_mode) {
        rustix::fs::FileType::Directory => directory(root, path),
        _ => file(root, path, b""),
    };
    // In the root and in `/tmp` it can be made. Anywhere else is the inside of another mount.
    made.map_err(|refusal| Refusal {
        cause: Cause::Request,
        ..refusal
    })
}

fn put(root: &OwnedFd, path: &Path, tree: &OwnedFd) -> Result<(), Refusal> {
    let step = || format!("mount at `{}`", path.display());
    let place = mounts::place(root, &relative(path)).request_step(step())?;
    mounts::attach(tree, place).step(step())
}

/// Where the file system in memory is until everything that needs it is mounted.
const MEMORY: &str = ".prowess-memory";

/// One file system in memory for `/tmp`, `/dev/shm` and all else that is gone with the child, so that one size bounds
/// them together.
fn scratch(root: &OwnedFd, confinement: &Confinement) -> Result<OwnedFd, Refusal> {
    let bytes = confinement.scratch;
    let files = (bytes / SCRATCH_PER_FILE).max(64);
    let memory = tmpfs(bytes, files, "755").step("make a scratch directory")?;
    directory(root, Path::new(MEMORY))?;
    let place = mounts::place(root, Path::new(MEMORY)).step("find the scratch directory")?;
    mounts::attach(&memory, place).step("mount the scratch directory")?;
    let copied = confinement.copied.as_ref();
    let copied = copied.map(|mount| ("copied", mount.inside.as_path()));
    let own = [("tmp", Path::new("/tmp")), ("shm", Path::new("/dev/shm"))];
    for (name, path) in own.into_iter().chain(copied) {
        mkdirat(&memory, name, Mode::from_raw_mode(0o700)).step("make a scratch directory")?;
        let part = mounts::part(&memory, name).step("share the scratch directory")?;
        directory(root, path)?;
        put(root, path, &part)?;
    }
    mkdirat(&memory, EMPTY, Mode::empty()).step("make an empty directory")?;
    file(&memory, Path::new(EMPTY_FILE), b"")?;
    Ok(memory)
}

fn forget_scratch(root: &OwnedFd) -> Result<(), Refusal> {
    fchdir(root).step("enter the root")?;
    unmount(MEMORY, UnmountFlags::DETACH).step("hide the scratch directory")?;
    rustix::fs::unlinkat(root, MEMORY, rustix::fs::AtFlags::REMOVEDIR)
        .step("hide the scratch directory")
}

const EMPTY: &str = "empty";
const EMPTY_FILE: &str = "empty-file";

/// Covers a place with nothing.
fn hide(root: &OwnedFd, memory: &OwnedFd, path: &Path) -> Result<(), Refusal> {
    let step = || format!("hide `{}`", path.display());
    let place = match mounts::place(root, &relative(path)) {
        Ok(place) => place,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => return Ok(()),
        Err(error) => return Err(error).step(step()),
    };
    let status = rustix::fs::fstat(&place).step(step())?;
    let empty = match rustix::fs::FileType::from_raw_mode(status.st_mode) {
        rustix::fs::FileType::Directory => EMPTY,
        _ => EMPTY_FILE,
    };
    let empty = mounts::part(memory, empty).step(step())?;
    mounts::restrict(&empty, HARMLESS | READ_ONLY | NO_EXEC, Reach::This).step(step())?;
    mounts::attach(empty, place).step(step())
}

/// A directory that can be changed without a change to what is below. Where the system has no such thing, or not for
/// this directory, what is below is all.
fn layered(memory: &OwnedFd, number: u32, mount: &Mount, below: OwnedFd) -> Option<OwnedFd> {
    let try_layer = || {
        let lower = mount
            .outside
            .to_str()
            .filter(|path| !path.contains([':', ',', '\\']))?;
        let place = |kind: &str| format!("layer-{number}-{kind}");
        for kind in ["upper", "work"] {
            mkdirat(memory, place(kind), Mode::from_raw_mode(0o700)).ok()?;
        }
        let path = |kind: &str| format!("{STAGING}/{MEMORY}/{}", place(kind));
        let options = [
            ("lowerdir", lower.to_owned()),
            ("upperdir", path("upper")),
            ("workdir", path("work")),
        ];
        mounts::overlay(&options).ok()
    };
    try_layer().or(Some(below))
}

/// A `/proc` with nothing but the processes of the child. Some containers forbid that; then there is none.
fn process_list(root: &OwnedFd) -> Result<(), Refusal> {
    let path = Path::new("/proc");
    directory(root, path)?;
    let options = [
        ("hidepid", "ptraceable".to_owned()),
        ("subset", "pid".to_owned()),
    ];
    match mounts::fresh("proc", &options, HARMLESS | NO_EXEC | READ_ONLY) {
        Ok(list) => put(root, path, &list),
        Err(Errno::PERM | Errno::INVAL) => Ok(()),
        Err(error) => Err(error).step("mount the process list"),
    }
}

fn tmpfs(bytes: u64, files: u64, mode: &str) -> rustix::io::Result<OwnedFd> {
    let options = [
        ("size", bytes.to_string()),
        ("nr_inodes", files.to_string()),
        ("mode", mode.to_owned()),
    ];
    mounts::fresh("tmpfs", &options, HARMLESS)
}

/// The path from the root, which a call relative to a directory needs.
fn relative(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}

fn above(root: &OwnedFd, path: &Path) -> Result<(), Refusal> {
    path.parent()
        .map_or(Ok(()), |parent| directory(root, parent))
}

fn directory(root: &OwnedFd, path: &Path) -> Result<(), Refusal> {
    let mut so_far = PathBuf::new();
    for step in relative(path).components() {
        so_far.push(step);
        match mkdirat(root, &so_far, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            // A mount that cannot be written is fine as long as the rest of the way is there.
            Err(Errno::ROFS | Errno::ACCESS) if mounts::place(root, &so_far).is_ok() => {}
            Err(error) => return Err(error).step(format!("make `{}`", path.display())),
        }
    }
    Ok(())
}

fn file(root: &OwnedFd, path: &Path, text: &[u8]) -> Result<(), Refusal> {
    let step = || format!("make `{}`", path.display());
    above(root, path)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let made = openat(
        root.as_fd(),
        relative(path),
        flags,
        Mode::from_raw_mode(0o444),
    )
    .step(step())?;
    File::from(made).write_all(text).step(step())
}
