//! Errors of a worker.

use std::io;

use prowess_sdk::UnknownPhase;
use prowess_sdk::wire::{Failure, code};

use crate::limits::{
    BRACKET_DEPTH, CALL_DEPTH, HEAP_BYTES, INTEGER_DIGITS, JSON_DEPTH, LOAD_DEPTH, MAPPED_BYTES,
    PROCESSOR_TIME, SOURCE_BYTES, TICKS,
};

/// Errors of a worker. Most are visible to the code of a skill, with line and column.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Start(#[source] io::Error),
    /// A limit could not be set; nothing was run.
    #[error("cannot set the limits of the worker: {0}")]
    Confine(#[source] prowess_sandbox::SandboxError),
    /// A limit could not be set, where nothing else could be either.
    #[error("cannot bound the worker: {0}")]
    Bound(#[source] io::Error),
    /// The host could not be read from or written to.
    #[error("cannot communicate with the host: {0}")]
    Stream(#[source] io::Error),
    /// The host refused.
    #[error("{}", .0.message)]
    Refused(Failure),
    /// The host's answer is not what was agreed.
    #[error("malformed response from the host: missing `{0}`")]
    Answer(&'static str),
    /// A tool or workflow of another skill returned an error.
    #[error("`{name}` of the skill `{skill}` failed: {content}")]
    Invoked {
        /// The other skill.
        skill: String,
        /// Its tool or workflow.
        name: String,
        /// The text.
        content: String,
    },
    /// A registration from within a handler.
    #[error("`{0}` can only be called at load time, not in a handler")]
    TooLate(&'static str),
    /// A name was registered before.
    #[error("duplicate {kind} `{name}`")]
    Twice {
        /// The kind of name.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An empty name.
    #[error("missing name of a {0}")]
    Nameless(&'static str),
    /// A handler that cannot be called.
    #[error("invalid handler: expected a function, got `{0}`")]
    NotCallable(&'static str),
    /// A phase that does not exist.
    #[error(transparent)]
    Phase(#[from] UnknownPhase),
    /// A function was called outside a request.
    #[error("no host is connected")]
    NoSession,
    /// No code came with the skill.
    #[error("missing code")]
    NoCode,
    /// A file that is not there.
    #[error("the skill has no file `{path}`; it has {}", .files.join(", "))]
    NoFile {
        /// The path.
        path: String,
        /// The available files.
        files: Vec<String>,
    },
    /// Files that load each other in a circle.
    #[error("cyclic load: {}", .0.join(" -> "))]
    Circle(Vec<String>),
    /// A chain of files that is too long.
    #[error("loads are nested deeper than {LOAD_DEPTH}")]
    LoadDepth,
    /// A file that is too long.
    #[error("`{path}` is too large: {bytes} bytes, the limit is {SOURCE_BYTES}")]
    SourceBytes {
        /// The file.
        path: String,
        /// Its length.
        bytes: usize,
    },
    /// Brackets in brackets in brackets.
    #[error("{path}:{line}:{column}: brackets are nested deeper than the limit of {BRACKET_DEPTH}")]
    BracketDepth {
        /// The file.
        path: String,
        /// The line, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
    },
    /// The interpreter refuses the skill's values as constants.
    #[error("cannot freeze `{path}`: {reason}")]
    Freeze {
        /// The file.
        path: String,
        /// The message of the interpreter.
        reason: String,
    },
    /// Text that is not JSON.
    #[error("invalid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A value that is nested too deeply for JSON, or holds itself.
    #[error("the value is nested deeper than the limit of {JSON_DEPTH}")]
    JsonDepth,
    /// An integer that is too long.
    #[error("integer too large: {0} digits, the limit is {INTEGER_DIGITS}")]
    IntegerDigits(usize),
    /// A number that no floating point number comes near.
    #[error("the number {0} is out of range")]
    OutOfRange(String),
    /// A floating point value that JSON has no number for.
    #[error("cannot convert {0} to JSON")]
    NotFinite(f64),
    /// A dict key that is not text.
    #[error("invalid dict key of type `{0}`: JSON keys are strings")]
    Key(&'static str),
    /// A value that JSON has nothing for.
    #[error("cannot convert a value of type `{0}` to JSON")]
    Unwritable(&'static str),
    /// Text that became too long.
    #[error("{what} is larger than the limit of {limit} bytes")]
    TooLong {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A value that is something else than what belongs there.
    #[error("invalid {what}: expected {expected}, got {found}")]
    Shape {
        /// Which value.
        what: String,
        /// The expected value.
        expected: &'static str,
        /// The value at the path.
        found: String,
    },
    /// Too many loop turns and calls.
    #[error("reached the limit of {TICKS} loop iterations and calls")]
    Ticks,
    /// Too much computing.
    #[error("reached the limit of {} s of CPU time", PROCESSOR_TIME.as_secs())]
    ProcessorTime,
    /// Too many values.
    #[error("reached the limit of {HEAP_BYTES} bytes of values")]
    Heap,
    /// Too much memory.
    #[error("reached the limit of {MAPPED_BYTES} bytes of memory")]
    Mapped,
    /// Too many calls in each other.
    #[error("reached the limit of {CALL_DEPTH} nested calls")]
    CallDepth,
}

impl WorkerError {
    /// The error code for the host.
    pub fn code(&self) -> i64 {
        match self {
            Self::Refused(failure) if failure.code == code::DENIED => code::DENIED,
            Self::LoadDepth
            | Self::SourceBytes { .. }
            | Self::BracketDepth { .. }
            | Self::JsonDepth
            | Self::IntegerDigits(_)
            | Self::TooLong { .. }
            | Self::Ticks
            | Self::ProcessorTime
            | Self::Heap
            | Self::Mapped
            | Self::CallDepth => code::LIMIT,
            _ => code::FAILED,
        }
    }
}

/// A value that is something else than what belongs there.
pub(crate) fn shape(
    what: impl Into<String>,
    expected: &'static str,
    found: impl Into<String>,
) -> WorkerError {
    WorkerError::Shape {
        what: what.into(),
        expected,
        found: found.into(),
    }
}
