//! A scan in a file, for the next process.
//!
//! The file is in the cache directory of the user, where no project can put one. It only saves work: a skill of it counts
//! if its file has the same stamp, and a directory if it has. It is ignored if it is damaged, or of another user, version,
//! root or setting.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, statfs};
use rustix::process::geteuid;

use super::FilesystemOptions;
use super::saved_codec::{Content, RestoredScan, decode, encode};
use super::scan::{Listings, Scan};
use crate::beneath::temporary_name;
use crate::stamp::Stamp;

/// Scans of fewer skills take no time.
pub(super) const SMALLEST: usize = 1_000;
/// A larger file is not ours.
const LARGEST_FILE: u64 = 1 << 30;
/// Bits of a mode that let others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// File systems of this machine that give a directory a new time whenever a name in it changes: ext, XFS, Btrfs, tmpfs,
/// overlay, F2FS, ZFS and bcachefs. Those of a network may answer from a cache of their own.
const LOCAL: [u32; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x794c_7630,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
];

/// Where the scan of one root is saved.
pub(super) struct SavedScan {
    path: PathBuf,
    /// Everything that a scan depends on, besides the files.
    key: Vec<u8>,
}

impl SavedScan {
    pub(super) fn new(directory: &Path, root: &Path, options: &FilesystemOptions) -> Option<Self> {
        let root = std::path::absolute(root).ok()?;
        let version = env!("CARGO_PKG_VERSION");
        let mut key = format!("{version} {options:?} ").into_bytes();
        key.extend(root.as_os_str().as_encoded_bytes());
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let path = directory.join(format!("skills-{:016x}", hasher.finish()));
        Some(Self { path, key })
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(test)]
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The scan that was saved, if it can be used.
    pub(super) fn load(&self, options: &FilesystemOptions) -> Option<RestoredScan> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = File::options()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(&self.path)
            .ok()?;
        let metadata = file.metadata().ok()?;
        let is_ours = metadata.is_file()
            && metadata.uid() == geteuid().as_raw()
            && metadata.mode() & WRITABLE_BY_OTHERS == 0
            && metadata.len() <= LARGEST_FILE;
        if !is_ours {
            return None;
        }
        decode(file, metadata.len(), &self.key, options.scope)
    }

    /// Saves a scan of at least `smallest` skills if it differs from what is there. A cache that cannot be written is not
    /// an error.
    pub(super) fn save(
        &self,
        root: &Path,
        scan: &Scan,
        before: Option<&SavedState>,
        smallest: usize,
    ) {
        let (Ok(system), Ok(metadata)) = (statfs(root), fs::metadata(root)) else {
            return;
        };
        let is_local = u32::try_from(system.f_type).is_ok_and(|it| LOCAL.contains(&it));
        // Another device may be another kind of file system.
        let content = Content::of(scan, metadata.dev());
        if !is_local
            || content.skills.len() < smallest
            || before.is_some_and(|before| before.is(&content))
        {
            return;
        }
        let _ = self.write(&content);
    }

    /// Other processes see the old file or the new one.
    fn write(&self, content: &Content<'_>) -> io::Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        // A user who could write here would decide which skills are found.
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(directory)?;
        let temporary = directory.join(temporary_name());
        let written = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| encode(content, &self.key, &mut file))
            .and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

/// What a file had when it was read.
pub(super) struct SavedState {
    stamps: Vec<Stamp>,
    listings: Listings,
}

impl SavedState {
    pub(super) fn of(scan: &Scan) -> Self {
        Self {
            stamps: scan.stamps.clone(),
            listings: scan.listings.clone(),
        }
    }

    #[cfg(test)]
    pub(super) fn is_of(&self, scan: &Scan) -> bool {
        self.stamps == scan.stamps && self.listings == scan.listings
    }

    fn is(&self, content: &Content<'_>) -> bool {
        let stamps = content.skills.iter().map(|(_, _, stamp)| *stamp);
        let listings = self.listings.iter().map(|(path, it)| (&**path, &**it));
        stamps.eq(&self.stamps) && listings.eq(content.listings.iter().copied())
    }
}
