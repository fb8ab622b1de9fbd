//! Files in the user's data directory: who may read them, and how long they stay.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a package stays that no lock file names.
pub(crate) const UNUSED: Duration = Duration::from_hours(30 * 24);

/// Whether a file was last written more than 30 days ago; never one of the future.
pub(crate) fn is_old(path: &Path, now: SystemTime) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
    let age = changed
        .ok()
        .and_then(|changed| now.duration_since(changed).ok());
    age.is_some_and(|age| age > UNUSED)
}

pub(crate) fn files_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.path())
}

/// Creates a directory that only the user can read.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
