//! Skills of a server with the API of [`prowess_core::wire`].
//!
//! | limit | what |
//! |---|---|
//! | 16 MiB | one answer |
//! | 64 KiB | an answer that is an error |
//! | 5 | redirects, within one origin |
//! | 1,000 | documents cached in memory |
//! | 5 s | an idle connection |

mod cache;
mod client;
mod read;
mod source;

use std::time::Duration;

pub use source::HttpSource;

/// Bytes of one answer.
const BODY_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of an error response that are read.
const ERROR_BYTES: usize = 64 * 1024;
/// Redirects that are followed, all within the origin.
const REDIRECTS: usize = 5;
/// Number of documents cached in memory.
const DOCUMENTS: usize = 1_000;
/// How long an idle connection stays open.
const IDLE: Duration = Duration::from_secs(5);
