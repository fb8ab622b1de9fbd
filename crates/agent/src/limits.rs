//! The limits of the loop.
//!
//! | constant | what it bounds |
//! |---|---|
//! | [`MESSAGE_BYTES`] | a message of the user's |
//! | [`TOOL_RESULT_BYTES`], [`FILE_PART_BYTES`] | the result of a tool; of a tool that reads a file in parts |
//! | [`EVENT_RESULT_BYTES`] | the part of a result that an event has |
//! | [`KEYWORD_SKILLS`] | skills that the keywords of one message load |
//! | [`TOOL_ROUNDS`] | answers with tool calls, one after the other, in a turn |
//! | [`CALLS_PER_ANSWER`] | tool calls of one answer |
//! | [`ANSWER_BYTES`] | the text of one answer |
//! | [`CONTEXT_WINDOW`] | default size of the context window in tokens |
//! | [`PINNED_BYTES`] | blocks of active skills that survive a compaction |
//! | [`SUMMARY_TOKENS`] | a summary of what was compacted |
//! | [`RETRIES`], [`RETRY_FIRST`], [`RETRY_LAST`] | requests that are made again, and the waits between them |
//! | [`CONNECT_TIME`], [`FIRST_BYTE_TIME`], [`BETWEEN_BYTES_TIME`] | timeouts of a provider; the last two are defaults |
//! | [`ERROR_CHARS`] | the shown part of an error of a provider |
//! | [`RECENT_SKILLS`] | skills used last that come first in the catalog |
//! | [`TITLE_CHARS`] | the title of a chat |
//! | [`SAVE_PAUSE`] | the wait before a turn that could not be saved is tried again |

use std::time::Duration;

/// Bytes of a message.
pub const MESSAGE_BYTES: usize = 1024 * 1024;
/// Skills that the keywords of a message load.
pub const KEYWORD_SKILLS: usize = 3;
/// Bytes of a tool's result.
pub const TOOL_RESULT_BYTES: usize = 256 * 1024;
/// Bytes of a tool's result in an event.
pub const EVENT_RESULT_BYTES: usize = 16 * 1024;
/// Bytes of a part of a file.
pub const FILE_PART_BYTES: usize = 64 * 1024;
/// Rounds of tool calls in a turn.
pub const TOOL_ROUNDS: usize = 25;
/// Tool calls of one answer.
pub const CALLS_PER_ANSWER: usize = 64;
/// Bytes of an answer's text.
pub const ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Tokens of a context window.
pub const CONTEXT_WINDOW: usize = 128_000;
/// Bytes of pinned blocks.
pub const PINNED_BYTES: usize = 64 * 1024;
/// Tokens of a summary.
pub const SUMMARY_TOKENS: u32 = 1_000;
/// Requests after the first that failed.
pub const RETRIES: u32 = 4;
/// The wait before the second request; it doubles.
pub const RETRY_FIRST: Duration = Duration::from_millis(500);
/// The longest wait. If a provider requests a longer one, the turn fails.
pub const RETRY_LAST: Duration = Duration::from_secs(30);
/// Time for a connection.
pub const CONNECT_TIME: Duration = Duration::from_secs(15);
/// Time until an answer begins.
pub const FIRST_BYTE_TIME: Duration = Duration::from_mins(3);
/// Time between two parts of an answer.
pub const BETWEEN_BYTES_TIME: Duration = Duration::from_mins(1);
/// Characters of a complaint.
pub const ERROR_CHARS: usize = 500;
/// Skills used last that come first in the catalog.
pub const RECENT_SKILLS: usize = 20;
/// Characters of a title.
pub const TITLE_CHARS: usize = 60;
/// The wait between two attempts to save a turn.
pub const SAVE_PAUSE: Duration = Duration::from_millis(500);
