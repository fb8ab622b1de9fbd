//! The host: other servers' skills, each byte verified before it is used.

mod child;
mod client;
mod keep;
mod lines;
mod list;
mod listed;
mod post;
mod runtime;
mod source;
mod sse;
mod verify;

pub use source::McpSource;
