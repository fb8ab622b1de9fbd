//! What tells one state of a file or a directory from the next.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, SystemTime};

/// The identity of a file that was read, or of a directory that was listed.
///
/// The time of a change of the inode is part of it: a program can set the other time, and unpacked packages often have
/// the same one in every version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// When the content changed, in seconds and nanoseconds.
    pub(crate) modified: (i64, i64),
    /// When anything about the file changed.
    pub(crate) changed: (i64, i64),
    pub(crate) length: u64,
}

impl Stamp {
    pub(crate) fn new(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self {
                device: metadata.dev(),
                inode: metadata.ino(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                length: metadata.len(),
            }
        }
        #[cfg(not(unix))]
        {
            let modified = metadata.modified().ok();
            let since = modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
            let since = since.unwrap_or_default();
            let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
            let modified = (seconds, since.subsec_nanos().into());
            Self {
                modified,
                changed: modified,
                length: metadata.len(),
                ..Self::default()
            }
        }
    }

    /// The same as one number. The device is left out: some have another number after a restart.
    pub(crate) fn number(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.inode, self.modified, self.changed, self.length).hash(&mut hasher);
        hasher.finish()
    }

    /// The same if a change after `start` shows in the times; otherwise one that no file has. Times may be as coarse as
    /// `grain`, so a file that was changed just before can be changed again and look the same.
    pub(crate) fn settled(self, start: SystemTime, grain: Duration) -> Self {
        if self.is_settled(start, grain) {
            self
        } else {
            Self::default()
        }
    }

    fn is_settled(self, start: SystemTime, grain: Duration) -> bool {
        let latest = self.modified.max(self.changed);
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(latest.0), u32::try_from(latest.1))
        else {
            return false;
        };
        let latest = SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds));
        // Some file systems have no times for some directories: they are all zero.
        self.changed.0 > 0
            && latest
                .and_then(|latest| latest.checked_add(grain))
                .is_some_and(|settled| settled < start)
    }
}

#[cfg(unix)]
impl From<rustix::fs::Stat> for Stamp {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        reason = "the types of the fields differ between systems"
    )]
    fn from(stat: rustix::fs::Stat) -> Self {
        let nanoseconds = |count| i64::try_from(count).unwrap_or_default();
        Self {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            modified: (stat.st_mtime as i64, nanoseconds(stat.st_mtime_nsec)),
            changed: (stat.st_ctime as i64, nanoseconds(stat.st_ctime_nsec)),
            length: u64::try_from(stat.st_size).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_change_is_not_settled() {
        let grain = Duration::from_secs(2);
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        let check = |modified, changed, expected| {
            let stamp = Stamp {
                modified,
                changed,
                ..Stamp::default()
            };
            assert_eq!(stamp.is_settled(start, grain), expected, "{stamp:?}");
        };
        check((50, 0), (97, 999_999_999), true);
        check((50, 0), (98, 0), false);
        check((99, 0), (50, 0), false);
        check((50, 0), (100, 0), false);
        check((50, 0), (101, 0), false);
        check((0, 0), (0, 0), false);
        check((-1, 0), (-1, 0), false);
        check((i64::MAX, 0), (i64::MAX, 0), false);
    }

    #[test]
    #[cfg(unix)]
    fn both_ways_to_ask_agree() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "text").unwrap();
        let stat = rustix::fs::stat(&path).unwrap();
        assert_eq!(
            Stamp::from(stat),
            Stamp::new(&std::fs::metadata(&path).unwrap())
        );
    }
}
