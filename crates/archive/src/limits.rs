//! The limits of an archive.

/// Maximum unpacked size of all files together.
pub const TOTAL_BYTES: u64 = 100 * 1024 * 1024;
/// Bytes that one file may unpack to.
pub const FILE_BYTES: u64 = 50 * 1024 * 1024;
/// Entries that an archive may hold, whatever their kind.
pub const ENTRIES: u64 = 10_000;
/// Maximum ratio of unpacked to packed bytes.
pub const RATIO: u64 = 100;
/// Unpacked size below which the ratio is not checked.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;
/// Maximum number of components of a path.
pub const DEPTH: usize = 20;

/// Bytes of one path, or of the target of a link.
pub const PATH_BYTES: usize = 1024;
/// Bytes of one part of a path; no common file system stores more.
pub const PART_BYTES: usize = 255;
/// Bytes of all names together, as they are and as they are compared.
pub const NAMES_BYTES: usize = 8 * 1024 * 1024;
/// Files, links and directories of the tree, with the directories that no entry names.
pub const NODES: usize = 40_000;
/// Symbolic links of the tree.
pub const LINKS: usize = 1_000;
/// Links that one path may lead through.
pub const LINK_HOPS: usize = 40;
/// Bytes of the central directory of a zip archive.
pub const CENTRAL_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes of one pax header or long name of a tar archive.
pub const RECORD_BYTES: u64 = 64 * 1024;
/// Zero bytes that may follow the end of a tar archive.
pub const PADDING_BYTES: u64 = 1024 * 1024;

/// The limits that a caller may change; the defaults are the published ones.
///
/// The others in [this module](self) bound the memory of the reader itself and are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// See [`TOTAL_BYTES`].
    pub total_bytes: u64,
    /// See [`FILE_BYTES`].
    pub file_bytes: u64,
    /// See [`ENTRIES`].
    pub entries: u64,
    /// See [`RATIO`].
    pub ratio: u64,
    /// See [`RATIO_FREE_BYTES`].
    pub ratio_free_bytes: u64,
    /// See [`DEPTH`].
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total_bytes: TOTAL_BYTES,
            file_bytes: FILE_BYTES,
            entries: ENTRIES,
            ratio: RATIO,
            ratio_free_bytes: RATIO_FREE_BYTES,
            depth: DEPTH,
        }
    }
}

impl Limits {
    /// The maximum unpacked size of `packed` bytes, by the ratio.
    pub(crate) fn unpacked(&self, packed: u64) -> u64 {
        packed.saturating_mul(self.ratio).max(self.ratio_free_bytes)
    }
}
