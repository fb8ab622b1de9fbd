//! Every bound of this crate, in one place.
//!
//! | constant | bounds |
//! |---|---|
//! | [`SKILL_FILES`], [`SKILL_BYTES`] | one skill, as the extension has it; more is for the tools alone |
//! | [`CATALOG_CHARS`] | the catalog in the description of the tool that loads skills |
//! | [`PAGE_ENTRIES`], [`PAGE_BYTES`] | one page of a list, whichever comes first |
//! | [`WRITTEN_PAGES`] | pages that are kept as they were sent |
//! | [`FRESH`] | how long digests count before the files are read again |
//! | [`READERS`] | skills that are read at once, and are in memory whole |
//! | [`LINE_BYTES`] | one message that a client sends over stdio |
//! | [`REQUEST_BYTES`] | one message that a client sends over HTTP |
//! | [`SESSION_IDLE`] | how long an HTTP session lives without being used |
//! | [`SESSIONS`] | HTTP sessions at once |
//! | [`LISTED_PAGES`], [`LISTED_SKILLS`] | what a host takes from one server |
//! | [`MESSAGE_BYTES`] | one message that a host takes from a server |
//! | [`CONNECT`], [`ANSWER`] | how long a host waits |
//! | [`SHORTEST_REFRESH`], [`LONGEST_REFRESH`] | how soon and how late a host asks again, whatever the server wishes |

use std::time::Duration;

/// Most files of a skill, its `SKILL.md` among them.
pub const SKILL_FILES: usize = 512;
/// Most bytes of a skill, all its files together.
pub const SKILL_BYTES: u64 = 16 * 1024 * 1024;
/// Characters of the catalog in the description of a tool.
pub const CATALOG_CHARS: usize = 4_000;
/// Most entries on one page of a list.
pub const PAGE_ENTRIES: usize = 1_000;
/// About as many bytes on one page of a list; the entry that passes it is the last.
pub const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of cached pages.
pub const WRITTEN_PAGES: usize = 16;
/// How long digests are valid before the files are read again; also sent to clients.
pub const FRESH: Duration = Duration::from_secs(5);
/// Skills that are read at once; each is in memory whole, up to [`SKILL_BYTES`].
pub const READERS: usize = 8;
/// Longest line that a client may send over stdio; a longer one is passed over.
pub const LINE_BYTES: usize = 16 * 1024 * 1024;
/// Longest message that a client may send over HTTP.
pub const REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// Timeout of an idle HTTP session.
pub const SESSION_IDLE: Duration = Duration::from_mins(10);
/// HTTP sessions at once; for one more, the idle one that was used longest ago ends.
pub const SESSIONS: usize = 256;
/// Most pages that a host reads.
pub const LISTED_PAGES: usize = 1_000;
/// Most skills that a host takes from one server.
pub const LISTED_SKILLS: usize = 20_000;
/// Longest message that a host takes from a server: the largest file in Base64, and some room.
pub const MESSAGE_BYTES: usize = 32 * 1024 * 1024;
/// How long a host waits for a connection to come about.
pub const CONNECT: Duration = Duration::from_secs(30);
/// How long a host waits for one answer.
pub const ANSWER: Duration = Duration::from_mins(1);
/// Minimum interval between list requests of a host.
pub const SHORTEST_REFRESH: Duration = Duration::from_secs(1);
/// Maximum interval between list requests of a host.
pub const LONGEST_REFRESH: Duration = Duration::from_hours(1);
