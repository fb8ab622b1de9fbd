//! The host: other servers' skills, each byte verified before it is used.

mod cache;
mod child;
mod client;
mod lines;
mod list;
mod listed_skill;
mod post;
mod source;
mod sse;
mod verify;

pub use source::McpSource;
