//! The bytes of the packages of a registry server: in a directory, or in a bucket of an S3-compatible store.
//!
//! ```text
//! packages/sha256/ab/cdef…   a package, by its digest; never changed
//! named/{name}               an object that the server replaces, such as a saved search index
//! temporary/                 a directory only: what is being written
//! ```

mod bucket;
mod directory;
mod error;
mod file_stream;
mod limits;
mod location;
mod object_name;
mod package_storage;
mod transport;

pub use error::StorageError;
pub use location::{S3Options, StorageLocation};
pub use package_storage::{PackageStorage, StoredPackage};
