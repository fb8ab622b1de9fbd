//! The only unpacker: zip and tar.gz to a verified tree, under published limits.
//!
//! An archive is accepted as a whole or not at all, and only if every careful reader would see the same tree in it.
//! Nothing is repaired, skipped or renamed. The result is files, directories and links that stay inside. One thing is
//! read as writers mean it and not as the format says: names in a zip are UTF-8 even if the flag is missing.
//!
//! - [`walk`] reads an archive once and visits every entry.
//! - [`Archive`] does the same, then reads single files in place.
//! - [`unpack`] creates a directory from it.
//! - [`read_all`] reads every file of a small archive into memory.
//!
//! # Limits
//!
//! | what | limit |
//! |---|---|
//! | all files, unpacked ([`TOTAL_BYTES`](limits::TOTAL_BYTES)) | 100 MiB |
//! | one file, unpacked ([`FILE_BYTES`](limits::FILE_BYTES)) | 50 MiB |
//! | entries ([`ENTRIES`](limits::ENTRIES)) | 10,000 |
//! | unpacked bytes for a packed one ([`RATIO`](limits::RATIO)), of the archive and of each entry of a zip | 100 |
//! | the same, asked above ([`RATIO_FREE_BYTES`](limits::RATIO_FREE_BYTES)) | 1 MiB |
//! | parts of a path ([`DEPTH`](limits::DEPTH)) | 20 |
//! | bytes of a path ([`PATH_BYTES`](limits::PATH_BYTES)) and of a part ([`PART_BYTES`](limits::PART_BYTES)) | 1,024 and 255 |
//! | bytes of all names ([`NAMES_BYTES`](limits::NAMES_BYTES)) | 8 MiB |
//! | files, links and directories, named or not ([`NODES`](limits::NODES)) | 40,000 |
//! | symbolic links ([`LINKS`](limits::LINKS)), and links on one path ([`LINK_HOPS`](limits::LINK_HOPS)) | 1,000 and 40 |
//! | bytes of the central directory of a zip ([`CENTRAL_BYTES`](limits::CENTRAL_BYTES)) | 8 MiB |
//! | bytes of a pax header or long name ([`RECORD_BYTES`](limits::RECORD_BYTES)) | 64 KiB |
//! | zero bytes behind the end of a tar ([`PADDING_BYTES`](limits::PADDING_BYTES)) | 1 MiB |
//!
//! What counts is bytes that were really unpacked, never what a header declares. The first six can be changed with
//! [`Limits`]; the others keep the memory of a pass below 64 MiB whatever the archive.
//!
//! # What is refused
//!
//! - names that are absolute, empty, not UTF-8, or have a `..`, a backslash, a drive or a control character;
//! - two entries with the same name, or names that differ only in case, Unicode form or a trailing dot, and entries
//!   below something that is not a directory; a directory that is named twice counts as two entries;
//! - symbolic links that leave the tree as written or as followed, and hard links to anything but an earlier file;
//! - devices, pipes, sockets and sparse files; setuid, setgid and sticky bits are dropped;
//! - zip: headers that disagree, bytes that belong to no entry or to two, encryption, other methods than stored and
//!   deflate, several disks, zip64 where it is not needed, unknown extra fields;
//! - tar: missing end markers, data after the end, several gzip members, wrong checksums, duplicate names or sizes.

mod archive;
mod entry;
mod error;
mod fields;
mod fold;
mod format;
mod ledger;
pub mod limits;
mod name;
mod names;
mod plugin;
mod problem;
mod scan;
mod shown;
mod staging;
mod tar;
mod unpack;
mod whole;
mod zip;

pub use archive::Archive;
pub use entry::{ArchiveEntry, EntryKind, Member, Mode, Summary};
pub use error::{Error, NamedError};
pub use fold::fold;
pub use format::Format;
pub use limits::Limits;
pub use plugin::plugin_files;
pub use problem::{LinkProblem, NameProblem, TarProblem, Within, ZipProblem};
pub use scan::walk;
pub use shown::Shown;
pub use unpack::{Tree, unpack};
pub use whole::read_all;
