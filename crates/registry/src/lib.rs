//! Packages of skills: where they come from, how they are installed, and what is installed.
//!
//! - [`PackageReference`]: where a user says that a skill comes from. [`Package`] fetches it, [`PackageTree`] holds its files.
//! - [`LockFile`]: `prowess.lock`, what is installed, byte for byte. [`compare`] finds what was changed since.
//! - [`Place`]: a project or a user, with the directories of their agents ([`Agent`]).
//! - [`Transaction`]: changes of a place that happen together or not at all.
//! - [`PackageStore`]: every version that was installed, by digest; [`merge`] takes its base from there.
//! - [`PackageName`]: a name in a registry; [`wire`]: what a registry and its clients say to each other.
//! - [`HostedRegistry`]: packages that others publish and download, for a server.
//! - [`PackageStorage`]: the packages of a registry server, in a directory or a bucket.
//! - [`PackageName`]: a name in a registry; [`wire`]: what a registry and its clients say to each other;
//!   [`RegistryClient`]: one of these clients; [`registries_for`]: which registry is asked about a name.
//! - [`pack`]: a skill as one archive, always with the same bytes; [`sign`] and [`verify`]: signatures in the format of
//!   `minisign`; [`KeyPins`]: the keys of sources, pinned at first use.

mod applied_notes;
mod client;
mod compare;
#[cfg(unix)]
mod copy_aside;
mod data_files;
mod fetch;
#[cfg(unix)]
mod fingerprint;
mod hosting;
#[cfg(unix)]
mod journal;
mod key_pins;
mod lock;
mod merge;
mod package;
mod package_name;
mod place;
mod plugin_listing;
#[cfg(unix)]
mod recovery;
mod reference;
mod registries;
mod signature;
mod similar;
#[cfg(unix)]
mod step;
#[cfg(test)]
#[cfg(unix)]
mod step_tests;
mod storage;
mod store;
#[cfg(unix)]
mod transaction;
mod transaction_error;
mod tree;
#[cfg(unix)]
mod unsynced;
mod version_check;
mod versions;
pub mod wire;

pub use applied_notes::{AppliedNote, NoteError};
pub use client::{
    CachedAnswer, NoCache, Publication, Published, RegistryClient, RegistryError, RegistryToken,
    ResponseCache, SearchPage,
};
pub use compare::{ChangeKind, Compared, FileChange, compare, compare_with_plugin};
pub use fetch::{FetchError, FoundSkill, Package, download_package};
#[cfg(unix)]
pub use fingerprint::Fingerprint;
pub use hosting::{
    DownloadedVersion, HostedRegistry, HostingError, Imported, ImportedVersion, InvalidFile,
    ListingEntry, Publisher, UNUSED_GRACE, VersionFacts, VersionSpec,
};
pub use key_pins::{KeyPins, Pin, PinError};
pub use lock::{LockError, LockFile, LockedSkill};
pub use merge::{Merge, differing_lines, has_markers, merge};
pub use package::{PackageError, pack, package_digest};
pub use package_name::{InvalidPackageName, PackageName};
pub use place::{AgentDirectory, LOCK_FILE, LockFileError, LockFileProblem, Place, read_lock_file};
pub use plugin_listing::{plugin_files_in, plugin_files_with};
pub use prowess_agents::{Agent, UserHome};
#[cfg(unix)]
pub use recovery::{Recovery, RecoveryOutcome, is_interrupted, leftovers};
pub use reference::{GitPlace, PackageReference, ReferenceError};
pub use registries::{Registry, is_same_registry, registries_for};
pub use signature::{KeyPair, PublicKey, SignatureError, is_encrypted, sign, signer, verify};
pub use similar::{is_similar, similar_packages};
pub use storage::{PackageStorage, S3Options, StorageError, StorageLocation, StoredPackage};
pub use store::PackageStore;
#[cfg(unix)]
pub use transaction::{Content, Transaction};
pub use transaction_error::TransactionError;
pub use tree::{InstallableTree, PackageFile, PackageTree, TreeError, digest_of};
pub use version_check::{VersionMismatch, signed_comment};
pub use versions::{choose_version, is_exact};
