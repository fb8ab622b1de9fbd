//! Limits of code skills.
//!
//! | constant | what it bounds |
//! |---|---|
//! | [`SKILL_FILES`], [`SKILL_BYTES`] | content of a code skill |
//! | [`CALL_TIME`] | a call of a tool, workflow or scanner, without waiting for the host |
//! | [`HOOK_TIME`] | a call of a hook handler, without waiting for the host |
//! | [`START_TIME`] | start of a worker |
//! | [`STOP_TIME`] | graceful exit of a worker |
//! | [`STRAY_BYTES`] | output of a worker besides messages |
//! | [`CALLS_AT_ONCE`], [`CALL_BYTES`] | unanswered calls of a worker |
//! | [`LOG_LINE_BYTES`] | a line of the log |
//! | [`LOG_LINES`], [`LOG_BYTES`] | log output of one call |
//! | [`STDERR_BYTES`] | stored standard error of a worker |
//! | [`CRASHES`], [`CRASH_WINDOW`] | crashes before a skill fails |
//! | [`BACKOFF`] | wait before a crashed worker restarts |
//! | [`DEPTH`] | nested tool calls |
//! | [`FILE_BYTES`] | a file that a skill reads or writes |
//! | [`ENTRIES`] | entries of a listing or search |
//! | [`SEARCHED_FILES`], [`TREE_DEPTH`], [`TREE_DIRECTORIES`], [`DIRECTORY_ENTRIES`] | files and directories that a search or a copy looks at |
//! | [`INPUT_FILES`], [`INPUT_BYTES`] | copies of files that a user names for a script |
//! | [`OUTPUT_BYTES`] | stored output of each stream of a program |
//! | [`COMMAND_BYTES`] | a command that a user is asked about, with its input and variables |
//! | [`FETCH_BYTES`], [`REDIRECTS`] | a fetched body, and redirects |
//! | [`PROMPT_TOKENS`] | default for the prompt of one skill |
//! | [`PROMPT_BUDGET`] | default for the prompts of all skills |

use std::time::Duration;

/// Files of a skill.
pub const SKILL_FILES: usize = 2_000;
/// Bytes of a skill.
pub const SKILL_BYTES: u64 = 64 * 1024 * 1024;
/// Time for a tool, a workflow or a scanner.
pub const CALL_TIME: Duration = Duration::from_secs(30);
/// Time for a handler.
pub const HOOK_TIME: Duration = Duration::from_secs(5);
/// Time for a worker to start.
pub const START_TIME: Duration = Duration::from_secs(10);
/// Time for a worker to stop.
pub const STOP_TIME: Duration = Duration::from_secs(2);
/// Stray output of a worker.
pub const STRAY_BYTES: usize = 1024 * 1024;
/// Concurrent calls of a worker; further ones wait.
pub const CALLS_AT_ONCE: usize = 16;
/// Bytes of those calls.
pub const CALL_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a log line.
pub const LOG_LINE_BYTES: usize = 8 * 1024;
/// Log lines of one call; the rest is dropped.
pub const LOG_LINES: usize = 1_000;
/// Log bytes of one call; the rest is dropped.
pub const LOG_BYTES: usize = 256 * 1024;
/// Stored bytes of the standard error of a worker.
pub const STDERR_BYTES: usize = 8 * 1024;
/// Crashes within [`CRASH_WINDOW`].
pub const CRASHES: usize = 5;
/// See [`CRASHES`].
pub const CRASH_WINDOW: Duration = Duration::from_mins(1);
/// The wait after the first crash; it doubles with each crash.
pub const BACKOFF: Duration = Duration::from_millis(50);
/// Nested tool calls.
pub const DEPTH: usize = 4;
/// Bytes of a file.
pub const FILE_BYTES: usize = 512 * 1024;
/// Entries of a listing.
pub const ENTRIES: usize = 5_000;
/// Files that a search looks at.
pub const SEARCHED_FILES: usize = 200_000;
/// Directories that a search or a copy visits.
pub const TREE_DIRECTORIES: usize = 200_000;
/// Entries of one of them.
pub const DIRECTORY_ENTRIES: usize = 500_000;
/// Directories within each other, in a search or a copy.
pub const TREE_DEPTH: usize = 128;
/// Files that a user names for a script.
pub const INPUT_FILES: usize = 10_000;
/// Bytes of those files.
pub const INPUT_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes of a program's output, of each stream.
pub const OUTPUT_BYTES: usize = 256 * 1024;
/// Bytes of a command that a user is asked about, with its input and variables.
pub const COMMAND_BYTES: usize = 64 * 1024;
/// Bytes of a fetched body.
pub const FETCH_BYTES: usize = 512 * 1024;
/// Redirects of a fetch.
pub const REDIRECTS: usize = 5;
/// Tokens of one skill's prompt.
pub const PROMPT_TOKENS: usize = 2_000;
/// Tokens of the prompts of all skills.
pub const PROMPT_BUDGET: usize = 8_000;
