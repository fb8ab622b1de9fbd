//! A registry: packages that are published, searched for and downloaded.
//!
//! What is said about packages is in the store, their bytes are in the storage; both can be shared by several replicas. A
//! replica has nothing of its own but a search index, which follows the changes of the store.

mod downloads;
mod error;
mod import;
mod index;
mod inspect;
mod latest;
mod publish;
mod read;
mod registry;
mod version_diff;

pub use error::{HostingError, InvalidFile};
pub use import::{Imported, ImportedVersion};
pub use inspect::VersionFacts;
pub use latest::VersionSpec;
pub use publish::Publisher;
pub use read::{DownloadedVersion, ListingEntry};
pub use registry::{HostedRegistry, UNUSED_GRACE};
