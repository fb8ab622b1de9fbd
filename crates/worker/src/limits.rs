//! Every bound of a worker, in one place.
//!
//! In the first group the interpreter notices and the worker survives: the response is an error that names the limit.
//! In the second group the operating system ends the process; [`prowess_sdk::limit_of`] determines which limit it was.
//!
//! | constant | bounds | past it |
//! |---|---|---|
//! | [`TICKS`], [`PROCESSOR_TIME`] | loop turns and calls, and computing, in one request | error |
//! | [`HEAP_BYTES`], [`MAPPED_BYTES`], [`CALL_DEPTH`] | values, their tables, and nested calls in one request | error |
//! | [`SOURCE_BYTES`], [`BRACKET_DEPTH`], [`LOAD_DEPTH`] | the source of a skill | error |
//! | [`JSON_DEPTH`], [`INTEGER_DIGITS`], [`ENCODED_BYTES`] | values on their way in and out | error |
//! | [`OUTPUT_BYTES`] | what a tool or workflow returns | error |
//! | [`LOG_BYTES`], [`TRACE_FRAMES`] | a line of the log, the calls that an error names | cut |
//! | [`LIFETIME_SECONDS`] | processor time of a worker's whole life | the kernel ends it |
//! | [`NESTED_REQUESTS`] | requests that arrive while code waits for the host | error |
//! | [`ADDRESS_SPACE`] | memory of the process | `SIGABRT` |
//! | [`PARSER_ADDRESS_SPACE`], [`PARSER_TIME`] | memory of a process that parses, and the wait for it | the program is not parsed |
//! | [`IDLE_PARSERS`] | parsers that wait | ended |
//! | [`STACK_BYTES`] | nesting of what is native: printing, comparing, parsing | `SIGABRT` |
//! | [`PROCESSOR_SECONDS`] | computing in one request, also inside of one operation | `SIGXCPU` |
//! | [`OPEN_FILES`] | file descriptors | refused |

use std::time::Duration;

/// Most loop turns and calls in one request.
pub const TICKS: u64 = 100_000_000;
/// Longest that one request computes; waiting for the host does not count.
pub const PROCESSOR_TIME: Duration = Duration::from_secs(5);
/// Most bytes of Starlark values that one request makes.
pub const HEAP_BYTES: usize = 128 * 1024 * 1024;
/// Maximum memory of one request, including tables of dicts. Small enough that the largest table can grow once more
/// below [`ADDRESS_SPACE`]: the interpreter does not survive a failed allocation.
pub const MAPPED_BYTES: u64 = 160 * 1024 * 1024;
/// Most Starlark functions that are in each other at once.
pub const CALL_DEPTH: usize = 1_000;
/// Longest source file.
pub const SOURCE_BYTES: usize = 512 * 1024;
/// Deepest nesting of brackets in a source file.
pub const BRACKET_DEPTH: usize = 200;
/// Longest chain of files that load each other.
pub const LOAD_DEPTH: usize = 32;
/// Deepest nesting of a value on its way in or out; a host that reads JSON to a depth of 128 can read it in its line.
pub const JSON_DEPTH: usize = 100;
/// Longest integer on its way in; reading takes time with the square of the length.
pub const INTEGER_DIGITS: usize = 10_000;
/// Most bytes that `json.encode` makes.
pub const ENCODED_BYTES: usize = 16 * 1024 * 1024;
/// Most bytes that a tool or a workflow returns.
pub const OUTPUT_BYTES: usize = 256 * 1024;
/// Most bytes of one line of the log.
pub const LOG_BYTES: usize = 8 * 1024;
/// Most calls that an error names.
pub const TRACE_FRAMES: usize = 10;
/// Seconds of processor time in the whole life of a worker.
pub const LIFETIME_SECONDS: u64 = 24 * 60 * 60;
/// Maximum number of nested requests: each arrived while the one before it waited for the host.
pub const NESTED_REQUESTS: usize = 16;
/// Most bytes of memory that a worker maps beyond those that it begins with.
pub const ADDRESS_SPACE: u64 = 512 * 1024 * 1024;
/// The same for a parser: its trees take up to a hundred times the bytes of a program.
pub const PARSER_ADDRESS_SPACE: u64 = 1024 * 1024 * 1024;
/// Longest wait for the tree of one program. It is a second limit: [`PROCESSOR_SECONDS`] ends a parser that computes.
pub const PARSER_TIME: Duration = Duration::from_secs(30);
/// Parsers that wait for the next program.
pub const IDLE_PARSERS: usize = 8;
/// The stack that code runs on.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Seconds of computing in one request after which the operating system ends the worker.
pub const PROCESSOR_SECONDS: u64 = 7;
/// Most file descriptors: standard input, output and error, and little more.
pub const OPEN_FILES: u64 = 16;
