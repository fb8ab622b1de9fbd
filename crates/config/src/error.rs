//! Errors of loading the configuration.

use std::io;
use std::path::PathBuf;

use crate::limits;
use crate::problem::Problem;

/// Errors of loading the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system would not hand out a file.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A directory, or another kind of file.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// Which one.
        path: PathBuf,
    },
    /// More than [`limits::FILE_BYTES`].
    #[error("`{}` is larger than {} bytes", path.display(), limits::FILE_BYTES)]
    TooLarge {
        /// Which file.
        path: PathBuf,
    },
    /// Bytes that are not text.
    #[error("`{}` is not UTF-8 at line {line}, column {column}", path.display())]
    NotUtf8 {
        /// Which file.
        path: PathBuf,
        /// Line of the first wrong byte, from 1.
        line: usize,
        /// Column of the first wrong byte in characters, from 1.
        column: usize,
    },
    /// Invalid files, with every problem of all of them.
    #[error("{}", summary(problems, *omitted))]
    Invalid {
        /// The problems, file by file, in the order of the text.
        problems: Vec<Problem>,
        /// Number of further problems beyond [`limits::PROBLEMS`] for each file.
        omitted: usize,
    },
}

impl Error {
    /// Problems inside files; empty if a file could not be read.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid { problems, .. } => problems,
            _ => &[],
        }
    }
}

fn summary(problems: &[Problem], omitted: usize) -> String {
    let first = problems.first().map(ToString::to_string);
    let more = problems.len().saturating_sub(1) + omitted;
    match (first, more) {
        (None, _) => "the configuration is invalid".to_owned(),
        (Some(first), 0) => first,
        (Some(first), more) => format!("{first} (and {more} more)"),
    }
}
