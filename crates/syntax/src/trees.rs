//! Who makes syntax trees.

use crate::language::CodeLanguage;
use crate::tree::SyntaxTree;

/// Makes syntax trees of programs of strangers.
///
/// The same request gives the same answer, but for [`Parse::Lost`].
pub trait SyntaxTrees: Send + Sync {
    /// Parses one program. Blocks until it is done or its limits are reached.
    fn parse(&self, request: &ParseRequest<'_>) -> Parse;
}

/// A program, and how much work it may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRequest<'s> {
    /// Decides the grammar.
    pub language: CodeLanguage,
    /// At most [`SOURCE_BYTES`](crate::limits::SOURCE_BYTES).
    pub source: &'s str,
    /// Units of the parser's work, of about a hundred steps each.
    pub ticks: usize,
    /// Syntax errors that a program of this length may be expected to have: recovering from one costs as much as a hundred
    /// lines.
    pub errors: usize,
}

/// The result of a parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// There is a tree, perhaps with errors in it.
    Tree(Parsed),
    /// It is nested more deeply than a parser can bear.
    TooDeep,
    /// It would have more syntax errors than were allowed.
    TooManyErrors,
    /// The ticks were used up.
    Unfinished,
    /// No answer came.
    Lost(LostParser),
}

/// A syntax tree, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Spans are those of the source that was asked about.
    pub tree: SyntaxTree,
    /// Places where the parser had to recover.
    pub errors: usize,
    /// Bytes that could not be parsed.
    pub error_bytes: usize,
    /// Ticks that were used.
    pub ticks: usize,
}

/// Why no answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostParser {
    /// The program made the parser crash, or leave its bounds of memory.
    Crashed,
    /// The program made the parser compute for longer than any honest one.
    TimedOut,
    /// No parser could be started.
    Unavailable,
}
