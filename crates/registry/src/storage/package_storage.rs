//! The storage, whatever it is.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use prowess_policy::ContentDigest;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::bucket::Bucket;
use super::directory::Directory;
use super::error::StorageError;
use super::file_stream;
use super::limits::{CHECK_TIMEOUT, NAMED, PACKAGE};
use super::location::StorageLocation;
use super::object_name::ObjectName;
use crate::package::package_digest;

/// Where the bytes of packages are: a directory, or a bucket of an S3-compatible store. A clone is another handle.
///
/// All functions need a tokio runtime with time and I/O.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use prowess_registry::{PackageStorage, S3Options, StorageLocation, package_digest};
///
/// let directory = tempfile::tempdir()?;
/// let location = StorageLocation::parse(&directory.path().to_string_lossy(), S3Options::default())?;
/// let storage = PackageStorage::open(&location)?;
/// let digest = package_digest(b"a package");
/// storage.put(digest, "a package".into()).await?;
/// assert_eq!(storage.read(digest).await?, "a package");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct PackageStorage(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Directory(Directory),
    Bucket(Bucket),
}

/// A package that is being read.
pub struct StoredPackage {
    /// The size of the whole package, also when only a range of it is read.
    pub size: u64,
    /// The bytes, in pieces of at most 256 KiB.
    pub stream: BoxStream<'static, io::Result<Bytes>>,
}

impl fmt::Debug for StoredPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("StoredPackage");
        shown.field("size", &self.size).finish_non_exhaustive()
    }
}

impl PackageStorage {
    /// Opens a storage. A directory is created if there is none; a bucket is not asked yet: see [`Self::check`].
    pub fn open(location: &StorageLocation) -> Result<Self, StorageError> {
        match location {
            StorageLocation::Directory(path) => Directory::open(path).map(Kind::Directory),
            StorageLocation::Bucket {
                bucket,
                prefix,
                options,
            } => Bucket::open(bucket, prefix, options).map(Kind::Bucket),
        }
        .map(Self)
    }

    /// Stores a package; again is the same as once. When this returns it is stored durably, and has its whole size. A
    /// package that was damaged is replaced.
    pub async fn put(&self, digest: ContentDigest, bytes: Bytes) -> Result<(), StorageError> {
        let hashed = bytes.clone();
        blocking(move || verify(digest, &hashed)).await?;
        self.put_object(ObjectName::package(digest), bytes).await
    }

    /// Opens a package, or a range of it. A range that ends after the package ends with it.
    pub async fn open_package(
        &self,
        digest: ContentDigest,
        range: Option<Range<u64>>,
    ) -> Result<StoredPackage, StorageError> {
        let name = ObjectName::package(digest);
        let (size, stream) = match &self.0 {
            Kind::Directory(directory) => {
                let directory = directory.clone();
                let opened = blocking(move || directory.open_package(&name, range)).await?;
                (opened.0, file_stream::stream(opened.1))
            }
            Kind::Bucket(bucket) => bucket.open_package(&name, range).await?,
        };
        Ok(StoredPackage { size, stream })
    }

    /// Reads a whole package, and verifies that it is the one of the digest.
    pub async fn read(&self, digest: ContentDigest) -> Result<Bytes, StorageError> {
        let bytes = self
            .read_object(ObjectName::package(digest), PACKAGE)
            .await?;
        blocking(move || verify(digest, &bytes).map(|()| bytes)).await
    }

    /// Stores an object that is replaced from time to time, such as a saved search index. Names are words of lower-case
    /// letters, digits, `.`, `_` and `-`, separated by `/`.
    pub async fn put_named(&self, name: &str, bytes: Bytes) -> Result<(), StorageError> {
        self.put_object(ObjectName::named(name)?, bytes).await
    }

    /// Reads such an object; `None` without one.
    pub async fn read_named(&self, name: &str) -> Result<Option<Bytes>, StorageError> {
        match self.read_object(ObjectName::named(name)?, NAMED).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(StorageError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the storage can be used, within 3 seconds.
    pub async fn check(&self) -> Result<(), StorageError> {
        soon(async {
            match &self.0 {
                Kind::Directory(directory) => {
                    let directory = directory.clone();
                    blocking(move || directory.check()).await
                }
                Kind::Bucket(bucket) => bucket.check().await,
            }
        })
        .await
    }

    /// Removes packages that no version refers to. Returns how many.
    ///
    /// A package is stored before its version, so `older_than` must be longer than publishing takes, and longer than the
    /// clocks of this machine and the storage differ: an hour or more. Storing a package again makes it new.
    pub async fn remove_unused(
        &self,
        is_used: impl Fn(ContentDigest) -> bool + Send + Sync + 'static,
        older_than: Duration,
    ) -> Result<usize, StorageError> {
        match &self.0 {
            Kind::Directory(directory) => {
                let directory = directory.clone();
                blocking(move || directory.remove_unused(is_used, older_than)).await
            }
            Kind::Bucket(bucket) => bucket.remove_unused(is_used, older_than).await,
        }
    }

    /// Counts what [`remove_unused`](Self::remove_unused) would remove, within 3 seconds.
    pub async fn count_unused(
        &self,
        is_used: impl Fn(ContentDigest) -> bool + Send + Sync + 'static,
        older_than: Duration,
    ) -> Result<usize, StorageError> {
        soon(async {
            match &self.0 {
                Kind::Directory(directory) => {
                    let directory = directory.clone();
                    let unused = blocking(move || directory.unused(&is_used, older_than));
                    Ok(unused.await?.len())
                }
                Kind::Bucket(bucket) => Ok(bucket.unused(&is_used, older_than).await?.len()),
            }
        })
        .await
    }

    async fn put_object(&self, name: ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        match &self.0 {
            Kind::Directory(directory) => {
                let directory = directory.clone();
                blocking(move || directory.put(&name, &bytes)).await
            }
            Kind::Bucket(bucket) => bucket.put(&name, bytes).await,
        }
    }

    /// Reads an object of at most so many bytes: another writer of the storage must not fill our memory.
    async fn read_object(&self, name: ObjectName, limit: u64) -> Result<Bytes, StorageError> {
        match &self.0 {
            Kind::Directory(directory) => {
                let directory = directory.clone();
                blocking(move || directory.read(&name, limit).map(Bytes::from)).await
            }
            Kind::Bucket(bucket) => bucket.read(&name, limit).await,
        }
    }
}

/// Whether the bytes are those of the digest.
fn verify(expected: ContentDigest, bytes: &[u8]) -> Result<(), StorageError> {
    let found = package_digest(bytes);
    if found == expected {
        Ok(())
    } else {
        Err(StorageError::Corrupt { expected, found })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(StorageError::io("use", Path::new("the storage"))(
            error.into(),
        ))
    })
}

/// The answer of a storage, if it comes within [`CHECK_TIMEOUT`].
async fn soon<T>(answer: impl Future<Output = Result<T, StorageError>>) -> Result<T, StorageError> {
    let answer = timeout(CHECK_TIMEOUT, answer).await;
    answer.unwrap_or_else(|_| {
        Err(StorageError::Unavailable {
            reason: format!("timed out after {} s", CHECK_TIMEOUT.as_secs()),
        })
    })
}
