//! Why an archive is refused.

use std::io;
use std::path::PathBuf;

use prowess_spec::SkillPath;

use crate::problem::{LinkProblem, NameProblem, TarProblem, Within, ZipProblem};
use crate::shown::Shown;

/// Errors of reading or unpacking an archive. Partial output is always removed.
///
/// An error does not know what the archive is called; [`Error::of`] adds that.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes cannot be read.
    #[error("read error: {0}")]
    Read(#[source] io::Error),
    /// The input is empty.
    #[error("the archive is empty")]
    NoBytes,
    /// The first bytes are of no format that is known.
    #[error("not a zip or tar archive")]
    NotAnArchive,
    /// An archive without a file or directory.
    #[error("contains no entries")]
    NoEntries,
    /// The bytes stop too early.
    #[error("truncated within {within}")]
    Truncated {
        /// The truncated part.
        within: Within,
    },
    /// A name that is not a path inside the tree.
    #[error("invalid entry name `{name}`: it {problem}")]
    Name {
        /// The name, shortened and with control characters escaped.
        name: Shown,
        /// The reason.
        problem: NameProblem,
    },
    /// Two entries that cannot be in one directory everywhere.
    #[error(
        "the entries `{name}` and `{other}` have the same path, exactly, by case or by Unicode"
    )]
    Collision {
        /// The later one.
        name: Shown,
        /// The earlier one.
        other: Shown,
    },
    /// An entry below something that is not a directory.
    #[error("`{name}` is both a directory and a file or link")]
    NotADirectory {
        /// The path that is both.
        name: Shown,
    },
    /// A link that is not let through.
    #[error("invalid link `{name}` to `{target}`: it {problem}")]
    Link {
        /// The link.
        name: Shown,
        /// Its target, shortened and with control characters escaped.
        target: Shown,
        /// The reason.
        problem: LinkProblem,
    },
    /// A device, a pipe, a socket, a sparse file: nothing that a skill consists of.
    #[error("the entry `{name}` is {what}")]
    Special {
        /// The entry.
        name: Shown,
        /// The kind of entry.
        what: &'static str,
    },
    /// More entries than are allowed.
    #[error("contains more than {limit} entries")]
    TooManyEntries {
        /// The limit.
        limit: u64,
    },
    /// Files that are larger together than is allowed.
    #[error("unpacks to more than {limit} bytes")]
    TotalTooLarge {
        /// The limit.
        limit: u64,
    },
    /// A file that is larger than is allowed.
    #[error("the entry `{name}` unpacks to more than {limit} bytes")]
    FileTooLarge {
        /// The entry.
        name: Shown,
        /// The limit.
        limit: u64,
    },
    /// The compression ratio is too high.
    #[error("the entry `{name}` exceeds the compression ratio of {limit}")]
    Ratio {
        /// The entry at which it showed.
        name: Shown,
        /// The limit.
        limit: u64,
    },
    /// The archive's own records are larger than is allowed.
    #[error("{what}: {seen}, at most {limit} allowed")]
    Metadata {
        /// What exceeds the limit.
        what: &'static str,
        /// The count so far.
        seen: u64,
        /// The limit.
        limit: u64,
    },
    /// A header with a wrong size.
    #[error("size mismatch in the entry `{name}`: {declared} bytes declared, {real} unpacked")]
    Size {
        /// The entry.
        name: Shown,
        /// The declared size.
        declared: u64,
        /// The actual size, or the first size that is too large.
        real: u64,
    },
    /// Content that is not what was packed.
    #[error("the content of the entry `{name}` is corrupt: {why}")]
    Content {
        /// The entry.
        name: Shown,
        /// The corrupt part.
        why: &'static str,
    },
    /// A zip archive that could be read in two ways, or in none.
    #[error("malformed zip archive: {0}")]
    Zip(#[from] ZipProblem),
    /// A tar archive that could be read in two ways, or in none.
    #[error("malformed tar archive: {0}")]
    Tar(#[from] TarProblem),
    /// The caller could not take an entry.
    #[error("cannot pass on `{path}`: {source}")]
    Visit {
        /// The entry.
        path: SkillPath,
        /// The error of the caller.
        source: io::Error,
    },
    /// The destination exists.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// The directory for the tree cannot be made or moved.
    #[error("cannot unpack to `{}`: {source}", path.display())]
    Destination {
        /// Where the tree should go.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// No entry has this path.
    #[error("contains no `{0}`")]
    NoSuchEntry(SkillPath),
    /// The path leads to something without content.
    #[error("`{0}` is not a file")]
    NotAFile(SkillPath),
}

impl Error {
    /// The error of an archive that is called so.
    ///
    /// ```
    /// let error = prowess_archive::Error::NotAnArchive.of("notes.zip");
    /// assert_eq!(error.to_string(), "`notes.zip`: not a zip or tar archive");
    /// ```
    pub fn of(self, archive: impl Into<String>) -> NamedError {
        NamedError {
            archive: archive.into(),
            error: self,
        }
    }

    pub(crate) fn name(name: impl AsRef<[u8]>, problem: NameProblem) -> Self {
        let name = Shown::new(name);
        Self::Name { name, problem }
    }

    pub(crate) fn content(name: impl AsRef<[u8]>, why: &'static str) -> Self {
        let name = Shown::new(name);
        Self::Content { name, why }
    }
}

/// An [`Error`] with the name of the archive.
#[derive(Debug, thiserror::Error)]
#[error("`{archive}`: {error}")]
pub struct NamedError {
    /// The name of the archive.
    pub archive: String,
    /// The reason.
    pub error: Error,
}
