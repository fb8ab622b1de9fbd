//! Limits of the storage of packages.

use std::time::Duration;

/// The largest piece of a package that is in memory for one download; a directory has the next one ready, too.
pub(super) const CHUNK: usize = 256 * 1024;
/// The pieces in which a package is sent to a bucket: each of them counts as progress.
pub(super) const UPLOAD_CHUNK: usize = 64 * 1024;

/// How long a bucket may take to accept a connection.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a bucket may neither take nor send a byte. A request as a whole has no limit: packages are large, and
/// networks are slow.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(8);
/// No request is repeated later than this. Less than the time of silence, so that a silent store costs it once.
pub(super) const RETRY_TIMEOUT: Duration = Duration::from_secs(6);
/// How often a request is repeated.
pub(super) const RETRIES: usize = 20;
/// The first pause before a request is repeated; each one is twice as long, up to the last.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
pub(super) const LAST_PAUSE: Duration = Duration::from_secs(1);
/// How long a check of readiness may take.
pub(super) const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// What was not written for this long is of a process that ended: it is removed.
pub(super) const TEMPORARY_AGE: Duration = Duration::from_hours(1);
/// Bytes of a package that is read as a whole, which is what a registry accepts.
pub(super) const PACKAGE: u64 = crate::wire::PACKAGE_BYTES as u64;
/// Bytes of an object that is not a package: the search index of a million packages.
pub(super) const NAMED: u64 = 2 * 1024 * 1024 * 1024;
/// The longest name of an object that is not a package.
pub(super) const NAME_LENGTH: usize = 200;
