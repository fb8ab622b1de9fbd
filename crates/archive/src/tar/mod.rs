//! Tar archives, plain or compressed with gzip.
//!
//! Written here and not taken from a crate: what a tar archive means depends on the reader wherever its headers
//! say something twice, and crates resolve that silently, hold records of any length in memory, and stop at the end
//! marker without a look behind it. One header is 512 bytes with a dozen fields; the rest is what not to accept.

mod header;
mod pax;
mod stream;
mod walk;

pub(crate) use walk::{scan, scan_gzip};
