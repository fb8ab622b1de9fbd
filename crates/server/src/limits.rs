//! Every limit of the server.

use std::time::Duration;

/// Maximum number of connections; above it, the one that has waited longest for its client is closed.
pub const CONNECTIONS: usize = 512;
/// How long a request line and its headers may take, and how long a connection may be idle.
pub const HEADERS: Duration = Duration::from_secs(15);
/// Bytes of a request line and its headers.
pub const HEADER_BYTES: usize = 64 * 1024;
/// How long the body of a request may take.
pub const BODY: Duration = Duration::from_secs(30);
/// Bytes of the bodies of all requests that are not answered yet.
pub const BODY_BYTES: usize = 32 * 1024 * 1024;
/// How long an answer may take to begin.
pub const ANSWER: Duration = Duration::from_mins(1);
/// Maximum lifetime of a connection.
pub const CONNECTION: Duration = Duration::from_mins(10);
/// How long requests can continue after the server was asked to stop, unless the host says otherwise.
pub const GRACE: Duration = Duration::from_secs(5);
/// How long an idle connection stays open then, for a request that is on its way.
pub const LINGER: Duration = Duration::from_millis(200);
/// Clients whose requests are counted; all others count as one.
pub const RATE_CLIENTS: usize = 10_000;
/// The longest time for which a client waits because of what it sent to other servers with the same store.
pub const RATE_DEBT: Duration = Duration::from_secs(30);
/// Wrong tokens that one address may send in [`WRONG_TOKENS_WINDOW`].
pub const WRONG_TOKENS: u32 = 20;
/// How long wrong tokens are counted together.
pub const WRONG_TOKENS_WINDOW: Duration = Duration::from_mins(1);
/// The shortest time between two looks at the sources.
pub const REFRESH: Duration = Duration::from_secs(1);
/// Characters of a search.
pub const QUERY_CHARS: usize = 1_000;
/// Default number of search results.
pub const FOUND: usize = 20;
/// Bytes of a JSON body: a `SKILL.md` of the maximum size, with escapes.
pub const JSON_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a file that a client writes; larger ones have no `ETag`.
pub const FILE_BYTES: usize = 16 * 1024 * 1024;
/// Directories inside each other in a skill: files below are neither listed nor written.
pub const DIRECTORIES: usize = 16;
/// How long a change of a skill waits for others.
pub const WRITE_WAIT: Duration = Duration::from_secs(2);
/// Changes of skills that wait at once.
pub const WAITING_WRITES: usize = 256;
/// Seconds after which a client should send such a change again.
pub const WRITE_RETRY: u32 = 1;
/// Bytes of an archive with skills that a client sends.
pub const IMPORT_BYTES: usize = 32 * 1024 * 1024;
/// Files of a skill in such an archive.
pub const IMPORT_FILES: usize = 2_000;
/// Bytes of these files.
pub const IMPORT_SKILL_BYTES: u64 = 32 * 1024 * 1024;
/// Open sessions; above it, the one that was not used for the longest time ends.
pub const SESSIONS: usize = 10_000;
/// Sessions of MCP whose token is remembered, which is more than there are at once.
pub const MCP_SESSIONS: usize = 2_048;
/// How long a session lives without being used.
pub const SESSION_IDLE: Duration = Duration::from_hours(1);
/// Bytes of a file that is read as a whole; a larger one is sent in parts, without an `ETag`.
pub const WHOLE_FILE: u64 = 16 * 1024 * 1024;
/// Bytes of such a part.
pub const PART: usize = 1024 * 1024;
/// Event streams at once; they are not counted among [`CONNECTIONS`].
pub const STREAMS: usize = 4_096;
/// How often an event stream without events sends a sign of life.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long the client of an event stream may read nothing before it can be cut off.
pub const STREAM_STALL: Duration = Duration::from_mins(1);
/// Bytes of events that are written to a stream at once.
pub const STREAM_PART: usize = 64 * 1024;
/// Events of a chat in memory; older ones are forgotten.
pub const LOG_EVENTS: usize = 4_096;
/// Bytes of these events.
pub const LOG_BYTES: usize = 8 * 1024 * 1024;
/// Turns that run at once.
pub const TURNS: usize = 32;
/// Chats with an agent; above it, the one that was not used for the longest time is closed.
pub const OPEN_CHATS: usize = 64;
/// Chats that are read or have an agent.
pub const CHATS_IN_USE: usize = 4_096;
/// How long a chat has an agent without being used.
pub const CHAT_IDLE: Duration = Duration::from_mins(10);
/// How long the agent of a chat may take to end.
pub const CHAT_CLOSE: Duration = Duration::from_secs(10);
/// How long a question waits for an answer.
pub const QUESTION: Duration = Duration::from_mins(10);
/// How long the token of the console may allow code to run.
pub const CONSOLE_APPROVES: Duration = Duration::from_hours(12);
/// Characters of the details of a question.
pub const QUESTION_CHARS: usize = 50_000;
/// Questions of a chat that are known to be closed.
pub const CLOSED_QUESTIONS: usize = 1_000;
/// Chats in a list.
pub const CHATS_LISTED: usize = 100;
/// Characters of the title of a chat.
pub const TITLE_CHARS: usize = 200;
