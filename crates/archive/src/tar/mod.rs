//! Tar archives, plain or compressed with gzip.
//!
//! Implemented here instead of using a crate: the meaning of a tar archive depends on the reader wherever its headers
//! are redundant, and crates resolve that silently, buffer records of any length, and stop at the end marker without
//! checking the data after it. A header is 512 bytes with a dozen fields; the rest is validation.

mod header;
mod pax;
mod stream;
mod walk;

pub(crate) use walk::{scan, scan_gzip};
