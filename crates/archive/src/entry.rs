//! Entries of an archive.

use prowess_spec::SkillPath;

use crate::format::Format;

/// One entry, with a path that cannot leave the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveEntry {
    /// The path.
    pub path: SkillPath,
    /// The kind.
    pub kind: EntryKind,
}

/// The kinds of entries that are let through; everything else is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File(Mode),
    /// A symbolic link, with its target as written.
    Symlink(Box<str>),
    /// The same file as an earlier entry, under another name.
    HardLink(SkillPath),
}

/// The preserved permissions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `0644`.
    Plain,
    /// `0755`.
    Executable,
}

impl Mode {
    /// If anyone can execute it, everyone can; setuid, setgid and sticky bits are dropped.
    pub(crate) fn of_bits(bits: u32) -> Self {
        if bits & 0o111 == 0 {
            Self::Plain
        } else {
            Self::Executable
        }
    }

    /// The bits of a new file.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Plain => 0o644,
            Self::Executable => 0o755,
        }
    }
}

/// An entry of an archive that was verified from end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The entry.
    pub entry: ArchiveEntry,
    /// The unpacked size of a file, or of the target of a hard link; zero otherwise.
    pub size: u64,
}

/// The totals of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The format that the bytes had.
    pub format: Format,
    /// Entries, with those that only carry metadata.
    pub entries: u64,
    /// Bytes that the files really unpack to.
    pub bytes: u64,
}
