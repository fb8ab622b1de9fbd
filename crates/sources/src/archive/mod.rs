//! Skills in an archive, read in place: nothing is unpacked to the disk.

mod index;
mod opened;
mod single;
mod source;

pub(crate) use single::unpack_skill;
pub use source::ArchiveSource;
