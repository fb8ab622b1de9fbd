//! Errors of reading a suite.

use prowess_core::{SkillId, SourceError};

use super::parse::{EVALS, TRIGGERS};

/// Errors of reading a suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The skill's files cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Both files are missing.
    #[error("`{0}` has neither {EVALS} nor {TRIGGERS}")]
    Nothing(SkillId),
    /// Both files are empty.
    #[error("`{0}` has no evals: the lists in its files are empty")]
    Empty(SkillId),
    /// A file is too large.
    #[error("{file} is too large: {bytes} bytes, at most {limit} allowed")]
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
    #[error("{file}:{line}:{column}: invalid JSON: {reason}")]
    NotJson {
        /// The file.
        file: &'static str,
        /// The line, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
        /// The problem.
        reason: String,
    },
    /// A file is valid JSON with invalid content.
    #[error("{file}: {at}: {reason}")]
    Invalid {
        /// The file.
        file: &'static str,
        /// The place in it, such as `evals[0].prompt`.
        at: String,
        /// The problem.
        reason: String,
    },
}
