//! Syntax trees of programs as plain data, and who makes them.
//!
//! The parsers of program code are written in C, and what they read was written by strangers. So they run in a worker
//! that can open nothing, and what comes back is a [`SyntaxTree`]: an array of nodes, checked when it is read.
//!
//! - [`SyntaxTrees`] is the trait that an audit asks; it knows of no process.
//! - [`wire`] is what a worker and its host send each other.
//! - `Grammars`, behind the feature `grammars`, are the parsers. They are called in the worker and in tests, nowhere else.
//!
//! A new language is a variant of [`CodeLanguage`] and a grammar in `bounded.rs`.

#[cfg(feature = "grammars")]
mod bounded;
#[cfg(feature = "grammars")]
mod errors;
#[cfg(feature = "grammars")]
mod flatten;
#[cfg(feature = "grammars")]
mod grammars;
mod language;
pub mod limits;
#[cfg(feature = "grammars")]
mod meter;
#[cfg(feature = "grammars")]
mod samples;
#[cfg(feature = "grammars")]
mod scanner_faults;
mod tree;
mod trees;
pub mod wire;

#[cfg(feature = "grammars")]
pub use grammars::Grammars;
pub use language::CodeLanguage;
pub use tree::{Children, Node, SyntaxTree};
pub use trees::{LostParser, Parse, ParseRequest, Parsed, SyntaxTrees};
