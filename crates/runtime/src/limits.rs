//! How much of anything a skill with code may use.
//!
//! | constant | what it bounds |
//! |---|---|
//! | [`SKILL_FILES`], [`SKILL_BYTES`] | a skill that may become active |
//! | [`CALL_TIME`] | a tool, a workflow step or a scanner, not counting what it waits for its host |
//! | [`HOOK_TIME`] | a handler, the same way |
//! | [`START_TIME`] | a worker, until it says what it contributes |
//! | [`STOP_TIME`] | a worker, between being told to stop and being stopped |
//! | [`STRAY_BYTES`] | what a worker prints besides its answers |
//! | [`CALLS_AT_ONCE`], [`CALL_BYTES`] | what a worker asks for before it reads the answers |
//! | [`LOG_LINE_BYTES`] | a line of the log |
//! | [`LOG_LINES`], [`LOG_BYTES`] | what a worker writes into the log while it is busy with one call |
//! | [`STDERR_BYTES`] | what is kept of a worker's complaints |
//! | [`CRASHES`], [`CRASH_WINDOW`] | crashes, after which a skill is given up |
//! | [`BACKOFF_FIRST`], [`BACKOFF_LAST`] | the wait before a crashed worker starts again |
//! | [`DEPTH`] | tools that call tools |
//! | [`FILE_BYTES`] | a file that is read or written for a skill |
//! | [`ENTRIES`] | entries of a directory, and files that a search finds |
//! | [`OUTPUT_BYTES`] | what is kept of each stream of a program |
//! | [`FETCH_BYTES`], [`REDIRECTS`] | a fetched body, and how often it may be elsewhere |
//! | [`PROMPT_TOKENS`] | what one skill adds to the prompt, if it states no limit of its own |
//! | [`PROMPT_BUDGET`] | what all of them add, where a host does not say |

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
/// Calls of a worker that are answered at the same time; it waits with further ones.
pub const CALLS_AT_ONCE: usize = 16;
/// Bytes of those calls.
pub const CALL_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a line of the log.
pub const LOG_LINE_BYTES: usize = 8 * 1024;
/// Lines of the log for one call; the rest is dropped.
pub const LOG_LINES: usize = 1_000;
/// Bytes of the log for one call; the rest is dropped.
pub const LOG_BYTES: usize = 256 * 1024;
/// Stored bytes of the standard error of a worker.
pub const STDERR_BYTES: usize = 8 * 1024;
/// Crashes within [`CRASH_WINDOW`].
pub const CRASHES: usize = 5;
/// See [`CRASHES`].
pub const CRASH_WINDOW: Duration = Duration::from_mins(1);
/// The wait after the first crash; it doubles.
pub const BACKOFF_FIRST: Duration = Duration::from_millis(50);
/// The longest wait.
pub const BACKOFF_LAST: Duration = Duration::from_secs(5);
/// Tools that call tools.
pub const DEPTH: usize = 4;
/// Bytes of a file.
pub const FILE_BYTES: usize = 512 * 1024;
/// Entries of a listing.
pub const ENTRIES: usize = 5_000;
/// Bytes of a program's output, of each stream.
pub const OUTPUT_BYTES: usize = 256 * 1024;
/// Bytes of a fetched body.
pub const FETCH_BYTES: usize = 512 * 1024;
/// Redirects of a fetch.
pub const REDIRECTS: usize = 5;
/// Tokens of one skill's prompt.
pub const PROMPT_TOKENS: usize = 2_000;
/// Tokens of all skills' prompts together.
pub const PROMPT_BUDGET: usize = 8_000;
