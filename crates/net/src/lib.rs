//! What every client of a network shares: one runtime, one way to build an HTTP client, bounded reading, a disk cache.

mod cache;
#[cfg(feature = "client")]
mod client;
mod lines;
mod task;

pub use cache::{CacheDirectory, create_private, now, short_digest, time_of};
#[cfg(feature = "client")]
pub use client::{
    BodyError, HeaderError, client_builder, install_tls_provider, is_loopback, read_body,
    same_origin, secret_header,
};
pub use lines::{Line, LineReader};
pub use task::{TaskError, run, run_blocking, within};
