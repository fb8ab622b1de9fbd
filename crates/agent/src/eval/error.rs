//! Why evals cannot be had.

use prowess_core::{SkillId, SourceError};

use super::parse::{EVALS, TRIGGERS};

/// Why evals cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The skill's files cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// There is neither file.
    #[error("`{0}` has neither {EVALS} nor {TRIGGERS}")]
    Nothing(SkillId),
    /// There is nothing in them.
    #[error("`{0}` has no evals: the lists in its files are empty")]
    Empty(SkillId),
    /// A file is too large.
    #[error("{file} has {bytes} bytes, and at most {limit} are read")]
    TooLarge {
        /// The file.
        file: String,
        /// How many it has.
        bytes: u64,
        /// How many there may be.
        limit: usize,
    },
    /// A file is not text.
    #[error("{0} is not UTF-8 text")]
    NotText(String),
    /// A file is not JSON.
    #[error("{file}:{line}:{column}: this is not JSON: {reason}")]
    NotJson {
        /// The file.
        file: &'static str,
        /// The line, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A file is JSON and makes no sense.
    #[error("{file}: {at}: {reason}")]
    Invalid {
        /// The file.
        file: &'static str,
        /// The place in it, such as `evals[0].prompt`.
        at: String,
        /// What is wrong there.
        reason: String,
    },
}
