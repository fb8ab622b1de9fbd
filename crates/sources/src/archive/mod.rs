//! Skills in an archive, read in place: nothing is unpacked to the disk.

mod index;
mod opened;
mod source;

pub use source::ArchiveSource;
