//! Why there is no configuration.

use std::io;
use std::path::PathBuf;

use crate::limits;
use crate::problem::Problem;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system would not hand out a file.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// A directory, or something else that is no file.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// Which one.
        path: PathBuf,
    },
    /// More than [`limits::FILE_BYTES`].
    #[error("`{}` has more than {} bytes", path.display(), limits::FILE_BYTES)]
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
    /// Files that say what makes no sense: everything that is wrong with all of them.
    #[error("{}", summary(problems, *omitted))]
    Invalid {
        /// The problems, file by file, in the order of the text.
        problems: Vec<Problem>,
        /// How many more there are than [`limits::PROBLEMS`] for each file.
        omitted: usize,
    },
}

impl Error {
    /// What is wrong inside of files; empty when a file could not be read.
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
