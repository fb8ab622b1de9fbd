//! The one reader of files that a stranger may have put where programs look.

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// A pipe, a device, a directory.
    #[error("not a regular file")]
    NotRegular,
    /// More than a file of its kind needs.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// Bytes that are read at most.
        limit: u64,
    },
    /// A link that leads out of the directory it is confined to.
    #[error("a link outside the project, or a broken link")]
    Outside,
    /// It belongs to another user.
    #[error("not owned by you or root")]
    OtherOwner,
    /// Others may write it, or replace it.
    #[error("writable by other users, or in a directory that is")]
    OthersMayWrite,
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
}

/// Reads a regular file of at most `limit` bytes that is below `root`, also where links lead; `None` if it does not exist.
///
/// Whatever is there instead of a file, this does not wait for it: the check and the read use one handle.
pub fn read_beneath(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileRefusal> {
    let opened = open_beneath(root, path)?;
    opened
        .map(|(file, metadata)| read_bounded(file, &metadata, limit))
        .transpose()
}

pub(crate) fn read_bounded(
    file: fs::File,
    metadata: &Metadata,
    limit: u64,
) -> Result<Vec<u8>, FileRefusal> {
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        let read = file.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(FileRefusal::Unreadable)?;
    }
    if metadata.len() > limit || bytes.len() as u64 > limit {
        return Err(FileRefusal::TooLarge { limit });
    }
    Ok(bytes)
}

/// Opens a regular file below `root`, without following a link out of it.
pub(crate) fn open_beneath(
    root: &Path,
    path: &Path,
) -> Result<Option<(fs::File, Metadata)>, FileRefusal> {
    let below = path.strip_prefix(root).map_err(|_| FileRefusal::Outside)?;
    match fs::symlink_metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileRefusal::Unreadable(error)),
    }
    let unreadable = FileRefusal::Unreadable;
    let root = if root.as_os_str().is_empty() {
        Path::new(".")
    } else {
        root
    };
    let directory = Dir::open_ambient_dir(root, ambient_authority()).map_err(unreadable)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = directory.open_with(below, &options).map_err(|error| {
        let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        if is_link {
            FileRefusal::Outside
        } else {
            FileRefusal::Unreadable(error)
        }
    })?;
    let file = file.into_std();
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(FileRefusal::NotRegular);
    }
    Ok(Some((file, metadata)))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn q32_only_regular_files_below_the_root_are_read() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("project");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(root.join("file"), "12345678").unwrap();
        fs::File::create(root.join("huge"))
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), 0o600.into()).unwrap();
        for (target, link) in [
            ("../secret", "out"),
            ("/dev/zero", "device"),
            ("file", "inside"),
            ("nothing", "broken"),
            ("pipe", "to-pipe"),
            ("..", "up"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let check = |name: &str, expected: &str| {
            let read = match read_beneath(&root, &root.join(name), 8) {
                Ok(Some(bytes)) => String::from_utf8(bytes).unwrap(),
                Ok(None) => "absent".to_owned(),
                Err(refusal) => refusal.to_string(),
            };
            assert_eq!(read, expected, "{name}");
        };
        check("file", "12345678");
        check("inside", "12345678");
        check("none", "absent");
        check("huge", "larger than 8 bytes");
        check("pipe", "not a regular file");
        check("to-pipe", "not a regular file");
        check("sub", "not a regular file");
        for link in ["out", "device", "broken", "up", "up/secret"] {
            let read = read_beneath(&root, &root.join(link), 8);
            assert!(
                matches!(read, Err(FileRefusal::Outside | FileRefusal::Unreadable(_))),
                "{link}: {read:?}"
            );
        }
        let outside = read_beneath(&root, &place.path().join("secret"), 8);
        assert!(matches!(outside, Err(FileRefusal::Outside)), "{outside:?}");
    }
}
