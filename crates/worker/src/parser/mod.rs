//! Parsers of program code, which are C and read what strangers wrote, in processes of their own.
//!
//! [`parser()`] is such a process; [`JailedParsers`] is what its host has of it.

mod guest;
mod jailed;
mod process;

pub use guest::parser;
pub use jailed::JailedParsers;
pub use process::ParserJail;
