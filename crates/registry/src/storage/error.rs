//! Why the storage did not do what was asked.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use prowess_policy::ContentDigest;

use super::object_name::ObjectName;

/// How much of a store's own explanation is shown.
const REASON_LENGTH: usize = 200;

/// Why packages cannot be stored or read. No message has credentials in it.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// Neither an absolute directory nor a bucket.
    #[error("invalid storage location `{location}`: {reason}")]
    InvalidLocation {
        /// What was given.
        location: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Not a name of an object.
    #[error(
        "invalid object name `{0}`: expected words of a-z, 0-9, `.`, `_` and `-`, separated by `/`"
    )]
    InvalidName(String),
    /// The range begins after the end of the package.
    #[error("invalid range: begins at {start}, but the package has {size} bytes")]
    InvalidRange {
        /// Where it begins.
        start: u64,
        /// The size of the package.
        size: u64,
    },
    /// It is not stored.
    #[error("cannot find {object} in the package storage")]
    NotFound {
        /// The name of the object.
        object: String,
    },
    /// The store does not answer, or not now. Trying again later may help.
    #[error("package storage unavailable: {reason}")]
    Unavailable {
        /// What happened.
        reason: String,
    },
    /// The store refuses our credentials.
    #[error("access to the package storage denied: {reason}")]
    Denied {
        /// What it said.
        reason: String,
    },
    /// The bytes are not those of the digest.
    #[error("corrupt package: expected {expected}, found {found}")]
    Corrupt {
        /// The digest that it should have.
        expected: ContentDigest,
        /// The digest of the bytes.
        found: ContentDigest,
    },
    /// The object is larger than any that was stored.
    #[error("cannot read {object}: {size} bytes, expected at most {limit}")]
    TooLarge {
        /// The name of the object.
        object: String,
        /// Its size.
        size: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// The store accepted an object and does not have it.
    #[error("cannot store {object}: accepted {expected} bytes, but {} are stored", or_none(*.found))]
    NotStored {
        /// The name of the object.
        object: String,
        /// How many bytes were written.
        expected: u64,
        /// How many are there; `None` without the object.
        found: Option<u64>,
    },
    /// The file system failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
}

fn or_none(size: Option<u64>) -> String {
    size.map_or_else(|| "none".to_owned(), |size| size.to_string())
}

impl StorageError {
    /// An error of the file system.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// An error of a bucket.
    pub(super) fn of_bucket(error: &object_store::Error, object: &str) -> Self {
        use object_store::Error as Bucket;
        match error {
            Bucket::NotFound { .. } => Self::NotFound {
                object: object.to_owned(),
            },
            error => {
                let reason = reason(error);
                match status(error) {
                    Some(404) => Self::NotFound {
                        object: object.to_owned(),
                    },
                    Some(401 | 403) => Self::Denied { reason },
                    _ => Self::Unavailable { reason },
                }
            }
        }
    }
}

/// Refuses an object that is larger than what is read.
pub(super) fn check_size(name: &ObjectName, size: u64, limit: u64) -> Result<(), StorageError> {
    if size <= limit {
        return Ok(());
    }
    Err(StorageError::TooLarge {
        object: name.as_str().to_owned(),
        size,
        limit,
    })
}

/// The status with which a bucket answered, if it did. `object_store` has it in a private type: only its text says it.
pub(super) fn status(error: &object_store::Error) -> Option<u16> {
    let text = reason(error);
    let (_, rest) = text.split_once("non-2xx status code: ")?;
    rest.split(' ').next()?.parse().ok()
}

/// The cause of an error in one line. The errors around it name the request again and again.
pub(super) fn reason(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let words: Vec<_> = cause
        .to_string()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words.join(" ").chars().take(REASON_LENGTH).collect()
}
