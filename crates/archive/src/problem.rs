//! What exactly is wrong, one enum for each part of an archive.

use std::fmt;

use crate::shown::Shown;

/// What the bytes stop in.
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
            Self::CentralDirectory => "its list of entries",
            Self::EndMarker => "its end marker",
            Self::Compression => "its compressed data",
        })
    }
}

/// Why a name is no path inside the tree.
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
    #[error("has a `..`")]
    Traversal,
    /// It has a `\`, which separates on some systems and not on others.
    #[error("has a backslash")]
    Backslash,
    /// It holds a NUL or another control character.
    #[error("holds a control character")]
    Control,
    /// It is no text.
    #[error("is not UTF-8")]
    NotUtf8,
    /// It has `//` or `/./`.
    #[error("has an empty part or a `.`")]
    Part,
    /// Only directories end with a slash.
    #[error("ends like a directory and is none")]
    Slash,
    /// It is longer than [`PATH_BYTES`](crate::limits::PATH_BYTES), or a part than [`PART_BYTES`](crate::limits::PART_BYTES).
    #[error(
        "is longer than {} bytes, or {} in one part",
        crate::limits::PATH_BYTES,
        crate::limits::PART_BYTES
    )]
    Long,
    /// It has more parts than this.
    #[error("has more than {0} parts")]
    Deep(usize),
}

/// Why a link is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkProblem {
    /// The target is no text that means the same everywhere.
    #[error(
        "has a target that is empty or has a backslash, a control character or bytes that are not UTF-8"
    )]
    Unreadable,
    /// The target begins at the root or a drive.
    #[error("is absolute")]
    Absolute,
    /// The target is outside, directly or through another link.
    #[error("leaves the archive")]
    Outside,
    /// Following it does not end.
    #[error("leads through too many links")]
    Loop,
    /// A hard link to something that is no earlier file.
    #[error("does not name an earlier file")]
    NotEarlier,
    /// The target is longer than [`PATH_BYTES`](crate::limits::PATH_BYTES), or has more than twice as many parts as a path may have.
    #[error("is too long")]
    Long,
}

/// What is unsound about a zip archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZipProblem {
    /// No record at the end says where the entries are listed.
    #[error("it has no end record, or data behind it")]
    NoEnd,
    /// Several records could be the end.
    #[error("it has more than one end record")]
    ManyEnds,
    /// It is one of several disks.
    #[error("it is part of a set")]
    Parts,
    /// It uses the large format, which nothing within the limits needs.
    #[error("it uses zip64, which no archive within the limits needs")]
    Zip64,
    /// The list does not lie where the end record says, right before it.
    #[error("its list of entries is not right before its end record")]
    Directory,
    /// The list holds another number of entries than announced.
    #[error("its list of entries does not hold the {0} entries that its end record declares")]
    Count(u64),
    /// A signature is not there.
    #[error("there is no entry where one should be: {0}")]
    Signature(Shown),
    /// Bytes that belong to no entry.
    #[error("there is data before `{0}` that belongs to no entry")]
    Gap(Shown),
    /// Bytes that belong to two entries.
    #[error("`{0}` overlaps the entry before it")]
    Overlap(Shown),
    /// Bytes between the last entry and the list.
    #[error("there is data behind the last entry that belongs to none")]
    Trailing,
    /// The two headers of an entry differ.
    #[error("the two headers of `{name}` disagree on its {field}")]
    Disagree {
        /// The entry.
        name: Shown,
        /// What they disagree on.
        field: &'static str,
    },
    /// What the header says is not what the entry looks like.
    #[error("the header of `{name}` contradicts itself on its {field}")]
    Contradiction {
        /// The entry.
        name: Shown,
        /// What it contradicts itself on.
        field: &'static str,
    },
    /// The entry is encrypted.
    #[error("`{0}` is encrypted")]
    Encrypted(Shown),
    /// The entry is compressed in an unknown way.
    #[error(
        "`{name}` is compressed with method {method}; only stored and deflated entries are read"
    )]
    Method {
        /// The entry.
        name: Shown,
        /// The number of the method.
        method: u16,
    },
    /// The entry needs a feature that is unknown.
    #[error("`{name}` has the flags {flags:#06x}, of which not all are known")]
    Flags {
        /// The entry.
        name: Shown,
        /// Its flags.
        flags: u16,
    },
    /// The entry needs a newer reader.
    #[error("`{name}` needs version {version} of the format")]
    Version {
        /// The entry.
        name: Shown,
        /// Ten times the version.
        version: u16,
    },
    /// A field that another reader may act upon.
    #[error("`{name}` has the extra field {id:#06x}, which is unknown or unsound")]
    Extra {
        /// The entry.
        name: Shown,
        /// The number of the field.
        id: u16,
    },
}

/// What is unsound about a tar archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TarProblem {
    /// No tar header.
    #[error("there is no header where one should be")]
    Magic,
    /// A header whose sum is wrong.
    #[error("the checksum of a header is wrong")]
    Checksum,
    /// A number that is none, is negative or is too large.
    #[error("the {0} in a header is not a number")]
    Number(&'static str),
    /// Bytes where a header has none.
    #[error("a header has data where readers disagree: {0}")]
    Stray(&'static str),
    /// A kind of entry that is unknown.
    #[error("`{name}` is of the unknown kind {kind:?}")]
    Kind {
        /// The entry.
        name: Shown,
        /// The letter of its kind.
        kind: char,
    },
    /// A link or directory with content.
    #[error("`{0}` has content and is no file")]
    Content(Shown),
    /// A header of headers that cannot be read.
    #[error("a pax header is malformed")]
    Pax,
    /// A key that changes what an entry is, where that cannot be checked.
    #[error("a pax header sets `{0}`, which is not read")]
    PaxKey(Shown),
    /// Two records that say the same thing about one entry.
    #[error("an entry has its {0} more than once")]
    Twice(&'static str),
    /// The header and the pax header differ.
    #[error("the two headers of `{0}` disagree on its size")]
    Disagree(Shown),
    /// A header that describes no entry.
    #[error("a pax header or long name is not followed by an entry")]
    Orphan,
    /// Something other than zeros after the end.
    #[error("there is data behind its end")]
    Trailing,
    /// Something other than zeros after a file.
    #[error("there is data behind the content of `{0}`")]
    Padding(Shown),
    /// The gzip stream around it.
    #[error("its compressed data is corrupt")]
    Gzip,
}
