//! Zip archives, read so strictly that every reader must see the same tree.
//!
//! Implemented here instead of using a crate: a zip archive is redundant, in its entries and in its central directory,
//! and can hide bytes in between. Crates trust the central directory, and read all of it into memory. Here both are
//! compared field by field, and the entries must fill the archive from its first byte to the central directory, which
//! must be followed by the end record, which must be the end.

mod central;
mod end;
mod extra;
mod local;
mod walk;

pub(crate) use walk::scan;

/// A deflated entry; the other method is 0, stored.
const DEFLATED: u16 = 8;
/// The sizes follow the content.
const DESCRIPTOR: u16 = 1 << 3;
/// A size that is elsewhere.
const ELSEWHERE: u32 = u32::MAX;
