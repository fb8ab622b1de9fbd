//! Why an archive is refused.

use std::fmt;
use std::io;
use std::path::PathBuf;

use prowess_spec::SkillPath;

use crate::problem::{LinkProblem, NameProblem, TarProblem, Within, ZipProblem};
use crate::shown::Shown;

/// Why an archive is refused, or could not be unpacked. After any of them nothing is left behind.
///
/// An error does not know what the archive is called; [`Error::of`] adds that.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes cannot be had.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// There are no bytes.
    #[error("is empty")]
    NoBytes,
    /// The first bytes are of no format that is known.
    #[error("is neither a zip nor a tar archive")]
    NotAnArchive,
    /// An archive without a file or directory.
    #[error("holds no entries")]
    NoEntries,
    /// The bytes stop too early.
    #[error("ends in the middle of {within}")]
    Truncated {
        /// What they stop in.
        within: Within,
    },
    /// A name that is no path inside the tree.
    #[error("the entry `{name}` has a name that {problem}")]
    Name {
        /// The name, shortened and with control characters escaped.
        name: Shown,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// Two entries that cannot be in one directory everywhere.
    #[error("the entries `{name}` and `{other}` are the same path, exactly, by case or by Unicode")]
    Collision {
        /// The later one.
        name: Shown,
        /// The earlier one.
        other: Shown,
    },
    /// Something lies beneath an entry that is no directory.
    #[error("`{name}` is a directory of one entry and a file or link of another")]
    NotADirectory {
        /// The path that is both.
        name: Shown,
    },
    /// A link that is not let through.
    #[error("the link `{name}` to `{target}` {problem}")]
    Link {
        /// The link.
        name: Shown,
        /// Its target, shortened and with control characters escaped.
        target: Shown,
        /// What is wrong with it.
        problem: LinkProblem,
    },
    /// A device, a pipe, a socket, a sparse file: nothing that a skill consists of.
    #[error("the entry `{name}` is {what}")]
    Special {
        /// The entry.
        name: Shown,
        /// What it is.
        what: &'static str,
    },
    /// More entries than are allowed.
    #[error("holds more than {limit} entries")]
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
    /// Much more comes out than went in.
    #[error("the entry `{name}` takes it over {limit} unpacked bytes for each packed one")]
    Ratio {
        /// The entry at which it showed.
        name: Shown,
        /// The limit.
        limit: u64,
    },
    /// The archive's own records are larger than is allowed.
    #[error("{what} of it, {seen}, are more than {limit}")]
    Metadata {
        /// What there is too much of.
        what: &'static str,
        /// How much there is, as far as it was counted.
        seen: u64,
        /// The limit.
        limit: u64,
    },
    /// A header that announces another size than there is.
    #[error("the entry `{name}` declares {declared} bytes and unpacks to {real}")]
    Size {
        /// The entry.
        name: Shown,
        /// What the header says.
        declared: u64,
        /// What comes out: exactly, or the first byte too many.
        real: u64,
    },
    /// Content that is not what was packed.
    #[error("the content of the entry `{name}` is corrupt: {why}")]
    Content {
        /// The entry.
        name: Shown,
        /// What does not fit.
        why: &'static str,
    },
    /// A zip archive that could be read in two ways, or in none.
    #[error("is not a sound zip archive: {0}")]
    Zip(#[from] ZipProblem),
    /// A tar archive that could be read in two ways, or in none.
    #[error("is not a sound tar archive: {0}")]
    Tar(#[from] TarProblem),
    /// The caller could not take an entry.
    #[error("`{path}` could not be taken: {source}")]
    Visit {
        /// The entry.
        path: SkillPath,
        /// What the caller said.
        source: io::Error,
    },
    /// There is something where the tree should go.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// The directory for the tree cannot be made or moved.
    #[error("cannot unpack to `{}`: {source}", path.display())]
    Destination {
        /// Where the tree should go.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No entry has this path.
    #[error("holds no `{0}`")]
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
    /// assert_eq!(error.to_string(), "`notes.zip` is neither a zip nor a tar archive");
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

/// An [`Error`] that says which archive it is about.
#[derive(Debug, thiserror::Error)]
pub struct NamedError {
    /// What the archive is called.
    pub archive: String,
    /// What is wrong with it.
    pub error: Error,
}

impl fmt::Display for NamedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { archive, error } = self;
        match error {
            Error::Read(_)
            | Error::NoBytes
            | Error::NotAnArchive
            | Error::NoEntries
            | Error::Truncated { .. }
            | Error::TooManyEntries { .. }
            | Error::TotalTooLarge { .. }
            | Error::NoSuchEntry(_)
            | Error::Zip(_)
            | Error::Tar(_) => write!(f, "`{archive}` {error}"),
            _ => write!(f, "`{archive}`: {error}"),
        }
    }
}
