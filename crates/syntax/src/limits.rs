//! Every bound of a parse, in one place.
//!
//! | constant | bounds | past it |
//! |---|---|---|
//! | [`TICK`] | processor time for each unit of work that was allowed | not parsed |
//! | [`SOURCE_BYTES`] | one program | not parsed |
//! | [`NODES`] | nodes of one tree | the tree ends there, and says so |
//! | [`NAMES`], [`NAME_BYTES`] | names of kinds and of fields in an answer | the answer is refused |
//! | [`INDENTS`] | different indentations of a Python program | not parsed |
//! | [`OPEN_BRACKETS`], [`OPEN_SIGNS`] | nesting, as far as characters tell it | not parsed |

use std::time::Duration;

/// Processor time of a tick, where a hundred steps of a parser take longer.
pub const TICK: Duration = Duration::from_micros(250);
/// Longest program that is parsed. An audit's own limit is below it.
pub const SOURCE_BYTES: usize = 8 * 1024 * 1024;
/// Most nodes of one tree.
pub const NODES: usize = 1_000_000;
/// Most names of kinds, or of fields, that an answer brings along.
pub const NAMES: usize = 4096;
/// Longest of these names.
pub const NAME_BYTES: usize = 128;
/// Different indentations of a Python program, of which each may be a level. Its scanner has room for 383 levels, and
/// writes past the end of a buffer at one more.
pub const INDENTS: usize = 300;
/// Brackets that are open at once; the parser's memory grows with them.
pub const OPEN_BRACKETS: usize = 2000;
/// Signs without an end between them that a program may have; each may be one level of the tree.
pub const OPEN_SIGNS: usize = 10_000;
