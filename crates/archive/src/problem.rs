//! Details of errors, one enum for each part of an archive.

use std::fmt;

use crate::shown::Shown;

/// The truncated part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The header of an entry.
    Header,
    /// The content of an entry.
    Content,
    /// The list of entries of a zip archive.
    CentralDirectory,
    /// The blocks that end a tar archive.
    EndMarker,
    /// The compressed stream around a tar archive.
    Compression,
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "a header",
            Self::Content => "a file",
            Self::CentralDirectory => "the central directory",
            Self::EndMarker => "the end marker",
            Self::Compression => "the compressed data",
        })
    }
}

/// Why a name is not a path inside the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// Nothing is there.
    #[error("is empty")]
    Empty,
    /// It begins at the root.
    #[error("is absolute")]
    Absolute,
    /// A part begins with a drive.
    #[error("has a drive letter")]
    Drive,
    /// It has a `..`.
    #[error("contains `..`")]
    Traversal,
    /// It has a `\`, which separates on some systems and not on others.
    #[error("contains a backslash")]
    Backslash,
    /// It holds a NUL or another control character.
    #[error("contains a control character")]
    Control,
    /// Not text.
    #[error("is not UTF-8")]
    NotUtf8,
    /// It has `//` or `/./`.
    #[error("has an empty or `.` component")]
    Part,
    /// Only directories end with a slash.
    #[error("ends with a slash but is not a directory")]
    Slash,
    /// It is longer than [`PATH_BYTES`](crate::limits::PATH_BYTES), or a part than [`PART_BYTES`](crate::limits::PART_BYTES).
    #[error(
        "is longer than {} bytes, or {} in one component",
        crate::limits::PATH_BYTES,
        crate::limits::PART_BYTES
    )]
    Long,
    /// It has more parts than this.
    #[error("has more than {0} components")]
    Deep(usize),
}

/// Why a link is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkProblem {
    /// The target is not portable text.
    #[error(
        "has a target that is empty or contains a backslash, a control character or invalid UTF-8"
    )]
    Unreadable,
    /// The target begins at the root or a drive.
    #[error("is absolute")]
    Absolute,
    /// The target is outside, directly or through another link.
    #[error("leaves the archive")]
    Outside,
    /// Following it does not end.
    #[error("passes through too many links")]
    Loop,
    /// A hard link to something other than an earlier file.
    #[error("does not point to an earlier file")]
    NotEarlier,
    /// The target is longer than [`PATH_BYTES`](crate::limits::PATH_BYTES), or has more than twice the allowed number
    /// of components.
    #[error("is too long")]
    Long,
}

/// Errors of a zip archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZipProblem {
    /// Missing end record.
    #[error("missing end record, or data after it")]
    NoEnd,
    /// Several records could be the end.
    #[error("more than one end record")]
    ManyEnds,
    /// It is one of several disks.
    #[error("part of a multi-disk archive")]
    Parts,
    /// It uses the large format, which nothing within the limits needs.
    #[error("zip64 is not supported")]
    Zip64,
    /// The central directory is not directly before the end record.
    #[error("the central directory is not directly before the end record")]
    Directory,
    /// The list holds another number of entries than announced.
    #[error("the central directory does not contain the {0} entries that the end record declares")]
    Count(u64),
    /// A signature is not there.
    #[error("expected an entry: {0}")]
    Signature(Shown),
    /// Bytes that belong to no entry.
    #[error("unexpected data before `{0}`")]
    Gap(Shown),
    /// Bytes that belong to two entries.
    #[error("`{0}` overlaps the entry before it")]
    Overlap(Shown),
    /// Bytes between the last entry and the list.
    #[error("unexpected data after the last entry")]
    Trailing,
    /// The two headers of an entry differ.
    #[error("the two headers of `{name}` disagree on its {field}")]
    Disagree {
        /// The entry.
        name: Shown,
        /// The field.
        field: &'static str,
    },
    /// The header does not match the entry.
    #[error("the header of `{name}` is inconsistent in its {field}")]
    Contradiction {
        /// The entry.
        name: Shown,
        /// The field.
        field: &'static str,
    },
    /// The entry is encrypted.
    #[error("`{0}` is encrypted")]
    Encrypted(Shown),
    /// The entry is compressed in an unknown way.
    #[error("unsupported compression method {method} of `{name}`; expected stored or deflated")]
    Method {
        /// The entry.
        name: Shown,
        /// The number of the method.
        method: u16,
    },
    /// The entry needs a feature that is unknown.
    #[error("unsupported flags {flags:#06x} of `{name}`")]
    Flags {
        /// The entry.
        name: Shown,
        /// Its flags.
        flags: u16,
    },
    /// The entry needs a newer reader.
    #[error("unsupported format version {version} of `{name}`")]
    Version {
        /// The entry.
        name: Shown,
        /// Ten times the version.
        version: u16,
    },
    /// A field that another reader may act upon.
    #[error("unknown or malformed extra field {id:#06x} of `{name}`")]
    Extra {
        /// The entry.
        name: Shown,
        /// The number of the field.
        id: u16,
    },
}

/// Errors of a tar archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TarProblem {
    /// No tar header.
    #[error("expected a header")]
    Magic,
    /// A header whose sum is wrong.
    #[error("invalid checksum of a header")]
    Checksum,
    /// An invalid, negative or too large number.
    #[error("invalid number in a header: {0}")]
    Number(&'static str),
    /// Bytes where a header has none.
    #[error("ambiguous data in a header: {0}")]
    Stray(&'static str),
    /// A kind of entry that is unknown.
    #[error("unknown type {kind:?} of `{name}`")]
    Kind {
        /// The entry.
        name: Shown,
        /// The letter of its kind.
        kind: char,
    },
    /// A link or directory with content.
    #[error("`{0}` has content but is not a file")]
    Content(Shown),
    /// A header of headers that cannot be read.
    #[error("a pax header is malformed")]
    Pax,
    /// A key that changes what an entry is, where that cannot be checked.
    #[error("unsupported key `{0}` in a pax header")]
    PaxKey(Shown),
    /// Duplicate records about one entry.
    #[error("duplicate {0} of an entry")]
    Twice(&'static str),
    /// The header and the pax header differ.
    #[error("the two headers of `{0}` disagree on its size")]
    Disagree(Shown),
    /// A header that describes no entry.
    #[error("a pax header or long name is not followed by an entry")]
    Orphan,
    /// Something other than zeros after the end.
    #[error("unexpected data after the end")]
    Trailing,
    /// Something other than zeros after a file.
    #[error("unexpected data after the content of `{0}`")]
    Padding(Shown),
    /// The gzip stream around it.
    #[error("corrupt compressed data")]
    Gzip,
}
