//! Packages in a bucket.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _,
    RetryConfig,
};
use prowess_policy::ContentDigest;

use super::error::{StorageError, check_size, reason, status};
use super::limits::{CHUNK, FIRST_PAUSE, LAST_PAUSE, RETRIES, RETRY_TIMEOUT};
use super::location::S3Options;
use super::object_name::{ObjectName, PACKAGES};
use super::transport::Transport;

/// The status of an answer when the range is not in the object.
const RANGE_NOT_SATISFIABLE: u16 = 416;

/// A bucket, or what is below a prefix of one.
#[derive(Clone)]
pub(super) struct Bucket {
    store: Arc<AmazonS3>,
    prefix: String,
    /// For messages.
    url: String,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Bucket").field(&self.url).finish()
    }
}

impl Bucket {
    pub(super) fn open(
        bucket: &str,
        prefix: &str,
        options: &S3Options,
    ) -> Result<Self, StorageError> {
        let url = format!("s3://{bucket}/{prefix}");
        let invalid = |error: &(dyn std::error::Error + 'static)| StorageError::InvalidLocation {
            location: url.clone(),
            reason: reason(error),
        };
        let endpoint = options.endpoint.as_deref().map(str::parse).transpose();
        let endpoint = endpoint.map_err(|error: url::ParseError| invalid(&error))?;
        let transport = Transport::new(endpoint.as_ref()).map_err(|error| invalid(&error))?;
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_region(options.region.as_deref().unwrap_or("us-east-1"))
            .with_allow_http(options.allow_http)
            .with_http_connector(transport)
            .with_retry(RetryConfig {
                backoff: BackoffConfig {
                    init_backoff: FIRST_PAUSE,
                    max_backoff: LAST_PAUSE,
                    base: 2.0,
                },
                max_retries: RETRIES,
                retry_timeout: RETRY_TIMEOUT,
            });
        if let Some(endpoint) = &options.endpoint {
            builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
        }
        if let (Some(access), Some(secret)) = (&options.access_key, &options.secret_key) {
            builder = builder
                .with_access_key_id(access.expose())
                .with_secret_access_key(secret.expose());
        }
        let store = builder.build().map_err(|error| invalid(&error))?;
        Ok(Self {
            store: Arc::new(store),
            prefix: prefix.to_owned(),
            url,
        })
    }

    fn key(&self, name: &str) -> Key {
        Key::from(format!("{}/{name}", self.prefix))
    }

    /// Stores an object, and looks whether it is there.
    pub(super) async fn put(&self, name: &ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        let expected = bytes.len() as u64;
        let key = self.key(name.as_str());
        let failed = |error| StorageError::of_bucket(&error, &self.url);
        // Also when it is there already: that makes it new, so that it is not removed before a version refers to it.
        self.store.put(&key, bytes.into()).await.map_err(failed)?;
        let found = match self.store.head(&key).await {
            Ok(meta) => Some(meta.size),
            Err(object_store::Error::NotFound { .. }) => None,
            Err(error) => return Err(failed(error)),
        };
        if found == Some(expected) {
            return Ok(());
        }
        Err(StorageError::NotStored {
            object: name.as_str().to_owned(),
            expected,
            found,
        })
    }

    /// The size of an object, and a range of it.
    pub(super) async fn open_package(
        &self,
        name: &ObjectName,
        range: Option<Range<u64>>,
    ) -> Result<(u64, BoxStream<'static, io::Result<Bytes>>), StorageError> {
        // Requests cannot ask for no bytes.
        let is_empty = range.as_ref().is_some_and(|it| it.start >= it.end);
        if !is_empty {
            match self.get(name, range.clone()).await {
                Ok(found) => return Ok((found.meta.size, pieces(found))),
                Err(error) if status(&error) == Some(RANGE_NOT_SATISFIABLE) => {}
                Err(error) => return Err(StorageError::of_bucket(&error, name.as_str())),
            }
        }
        let meta = self.store.head(&self.key(name.as_str())).await;
        let size = meta
            .map_err(|error| StorageError::of_bucket(&error, name.as_str()))?
            .size;
        let range = range.unwrap_or(0..size);
        if range.start > size {
            return Err(StorageError::InvalidRange {
                start: range.start,
                size,
            });
        }
        if is_empty || range.start == size {
            return Ok((size, stream::empty().boxed()));
        }
        let found = self.get(name, Some(range)).await;
        let found = found.map_err(|error| StorageError::of_bucket(&error, name.as_str()))?;
        Ok((size, pieces(found)))
    }

    async fn get(
        &self,
        name: &ObjectName,
        range: Option<Range<u64>>,
    ) -> object_store::Result<GetResult> {
        // Many stores read the numbers as signed ones.
        let range = range.map(|it| it.start..it.end.min(i64::MAX.unsigned_abs()));
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let key = self.key(name.as_str());
        self.store.get_opts(&key, options).await
    }

    /// A whole object.
    pub(super) async fn read(&self, name: &ObjectName, limit: u64) -> Result<Bytes, StorageError> {
        let failed = |error| StorageError::of_bucket(&error, name.as_str());
        let found = self.get(name, None).await.map_err(failed)?;
        check_size(name, found.meta.size, limit)?;
        found.bytes().await.map_err(failed)
    }

    /// Whether the bucket exists and can be read. Asks for names of which there are none.
    pub(super) async fn check(&self) -> Result<(), StorageError> {
        let key = self.key("check");
        let first = self.store.list(Some(&key)).try_next().await;
        first
            .map(|_| ())
            .map_err(|error| StorageError::of_bucket(&error, &self.url))
    }

    /// Packages that are not used and were not stored lately.
    pub(super) async fn unused(
        &self,
        is_used: &(impl Fn(ContentDigest) -> bool + Send + Sync),
        older_than: Duration,
    ) -> Result<Vec<(Key, ContentDigest)>, StorageError> {
        let failed = |error| StorageError::of_bucket(&error, &self.url);
        let below = self.key("");
        let mut listed = self.store.list(Some(&self.key(PACKAGES)));
        let mut unused = Vec::new();
        while let Some(meta) = listed.try_next().await.map_err(failed)? {
            let name = meta.location.as_ref().strip_prefix(below.as_ref());
            let name = name.map(|it| it.trim_start_matches('/'));
            let digest = name.and_then(ObjectName::digest_of);
            let digest = digest.filter(|digest| is_old(&meta, older_than) && !is_used(*digest));
            unused.extend(digest.map(|digest| (meta.location, digest)));
        }
        Ok(unused)
    }

    /// Removes them.
    pub(super) async fn remove_unused(
        &self,
        is_used: impl Fn(ContentDigest) -> bool + Send + Sync,
        older_than: Duration,
    ) -> Result<usize, StorageError> {
        let failed = |error| StorageError::of_bucket(&error, &self.url);
        let mut removed = 0;
        for (key, digest) in self.unused(&is_used, older_than).await? {
            // The list is of a while ago; since then it may have been stored again.
            match self.store.head(&key).await {
                Ok(now) if is_old(&now, older_than) && !is_used(digest) => {}
                Ok(_) | Err(object_store::Error::NotFound { .. }) => continue,
                Err(error) => return Err(failed(error)),
            }
            self.store.delete(&key).await.map_err(failed)?;
            removed += 1;
        }
        Ok(removed)
    }
}

fn is_old(meta: &ObjectMeta, older_than: Duration) -> bool {
    let stored: SystemTime = meta.last_modified.into();
    stored.elapsed().is_ok_and(|age| age >= older_than)
}

/// An object in pieces of limited size.
fn pieces(found: GetResult) -> BoxStream<'static, io::Result<Bytes>> {
    let split = |mut bytes: Bytes| {
        let mut pieces = Vec::with_capacity(bytes.len().div_ceil(CHUNK));
        while !bytes.is_empty() {
            pieces.push(Ok(bytes.split_to(bytes.len().min(CHUNK))));
        }
        stream::iter(pieces)
    };
    let chunks = found.into_stream().map_err(io::Error::from);
    chunks.map_ok(split).try_flatten().boxed()
}
