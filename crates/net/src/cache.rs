//! What servers said, on disk, for when they cannot be reached.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// The cached files of one server, as one user sees it.
///
/// Nothing fails because of a cache: a file that cannot be read is not there, and one that cannot be written is not
/// cached.
#[derive(Clone, Debug)]
pub struct CacheDirectory {
    path: PathBuf,
}

impl CacheDirectory {
    /// The directory below `root` for what `identity` tells apart: the kind of server, its address, the credentials.
    pub fn new<'a>(root: &Path, kind: &str, identity: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            path: root.join(kind).join(short_digest(identity)),
        }
    }

    /// Where a file is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok())
    }

    /// A value that was saved.
    pub fn load<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.file(name)).ok()?).ok()
    }

    /// Saves a value.
    pub fn save(&self, name: &str, value: &impl Serialize) {
        if let Ok(bytes) = serde_json::to_vec(value) {
            self.write(name, &bytes);
        }
    }

    /// Saves bytes: a reader sees all of them or the file as it was.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let write = || -> io::Result<()> {
            create_private(&self.path)?;
            let mut temporary = tempfile::NamedTempFile::new_in(&self.path)?;
            temporary.write_all(bytes)?;
            temporary.persist(self.file(name))?;
            Ok(())
        };
        let _ = write();
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.file(name));
    }
}

/// Creates a directory that other users of the machine neither read nor change, whatever the umask is.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// The first half of a SHA-256 over parts that cannot run into each other, in hexadecimal.
pub fn short_digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut text = String::new();
    for byte in hasher.finalize().iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The time that is so many seconds after 1970.
pub fn time_of(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}
