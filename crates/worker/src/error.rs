//! What goes wrong in a worker.

use std::io;

use prowess_sdk::UnknownPhase;
use prowess_sdk::wire::{Failure, code};

use crate::limits::{
    BRACKET_DEPTH, CALL_DEPTH, HEAP_BYTES, INTEGER_DIGITS, JSON_DEPTH, LOAD_DEPTH, MAPPED_BYTES,
    PROCESSOR_TIME, SOURCE_BYTES, TICKS,
};

/// What goes wrong in a worker. Most of them the code of a skill sees, with its line and column.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// No thread could be had.
    #[error("cannot start a thread: {0}")]
    Start(#[source] io::Error),
    /// A limit could not be set; nothing was run.
    #[error("cannot bound the worker: {0}")]
    Confine(#[source] prowess_sandbox::SandboxError),
    /// The host could not be read from or written to.
    #[error("cannot talk to the host: {0}")]
    Stream(#[source] io::Error),
    /// The host said no.
    #[error("{}", .0.message)]
    Refused(Failure),
    /// The host's answer is not what was agreed.
    #[error("the host's answer has no `{0}`")]
    Answer(&'static str),
    /// A tool or workflow of another skill told of a failure.
    #[error("`{name}` of the skill `{skill}` failed: {content}")]
    Invoked {
        /// The other skill.
        skill: String,
        /// Its tool or workflow.
        name: String,
        /// What it said.
        content: String,
    },
    /// A registration from within a handler.
    #[error("`{0}` can only be called while the skill is loaded, not from within a handler")]
    TooLate(&'static str),
    /// A name was registered before.
    #[error("there is a {kind} `{name}` already")]
    Twice {
        /// What it is the name of.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An empty name.
    #[error("a {0} needs a name")]
    Nameless(&'static str),
    /// A handler that cannot be called.
    #[error("the handler is a value of type `{0}`, and not a function")]
    NotCallable(&'static str),
    /// A phase that does not exist.
    #[error(transparent)]
    Phase(#[from] UnknownPhase),
    /// A function of the language outside of any request.
    #[error("there is no host to ask")]
    NoSession,
    /// No code came with the skill.
    #[error("no code was given")]
    NoCode,
    /// A file that is not there.
    #[error("there is no file `{path}` in this skill; there is {}", .files.join(", "))]
    NoFile {
        /// What was to be loaded.
        path: String,
        /// What there is.
        files: Vec<String>,
    },
    /// Files that load each other in a circle.
    #[error("files load each other in a circle: {}", .0.join(" -> "))]
    Circle(Vec<String>),
    /// A chain of files that is too long.
    #[error("more than {LOAD_DEPTH} files load each other")]
    LoadDepth,
    /// A file that is too long.
    #[error("`{path}` has {bytes} bytes, and the limit of a source file is {SOURCE_BYTES}")]
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
        /// What the interpreter says.
        reason: String,
    },
    /// Text that is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A value that is nested too deeply for JSON, or holds itself.
    #[error("the value is nested deeper than the limit of {JSON_DEPTH}")]
    JsonDepth,
    /// An integer that is too long.
    #[error("an integer has {0} digits, and the limit is {INTEGER_DIGITS}")]
    IntegerDigits(usize),
    /// A number that no floating point number comes near.
    #[error("the number {0} is out of range")]
    OutOfRange(String),
    /// A floating point value that JSON has no number for.
    #[error("{0} cannot be written as JSON")]
    NotFinite(f64),
    /// A key of a dict that is no text.
    #[error("a key of a dict is a value of type `{0}`; in JSON keys are strings")]
    Key(&'static str),
    /// A value that JSON has nothing for.
    #[error("a value of type `{0}` cannot be written as JSON")]
    Unwritable(&'static str),
    /// Text that became too long.
    #[error("{what} has more than {limit} bytes, which is the limit")]
    TooLong {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A value that is something else than what belongs there.
    #[error("{what} is expected to be {expected}, and is {found}")]
    Shape {
        /// Which value.
        what: String,
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Too many loop turns and calls.
    #[error("the limit of {TICKS} loop turns and calls is reached")]
    Ticks,
    /// Too much computing.
    #[error("the limit of {} s of computing is reached", PROCESSOR_TIME.as_secs())]
    ProcessorTime,
    /// Too many values.
    #[error("the limit of {HEAP_BYTES} bytes of values is reached")]
    Heap,
    /// Too much memory.
    #[error("the limit of {MAPPED_BYTES} bytes of memory is reached")]
    Mapped,
    /// Too many calls in each other.
    #[error("the limit of {CALL_DEPTH} nested calls is reached")]
    CallDepth,
}

impl WorkerError {
    /// The code that tells a host what kind of failure it is.
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
