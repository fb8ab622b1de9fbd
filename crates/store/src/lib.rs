//! What outlives a run: approvals, the state of skills, conversations, chats, caches.
//!
//! One set of statements over SQLite (the default, a file) and PostgreSQL (by URL, shared by several machines).
//!
//! - A store that a newer Prowess wrote is refused and left untouched.
//! - A file that is no store, or a broken one, is refused; a copy is put beside it before anything is tried.
//! - A file is for its owner alone, with what SQLite keeps beside it: others cannot read what was said.
//! - Where a store cannot be written, [`Store::memory`] stands in, and whoever opens it says so.
#![allow(
    clippy::doc_markdown,
    reason = "SQLite and PostgreSQL are names, not code"
)]

mod cache;
mod chat_id;
mod chats;
mod error;
mod file;
mod grants;
mod open;
mod schema;
mod sessions;
mod state;

pub use cache::Cached;
pub use chat_id::ChatId;
pub use chats::{Chat, ChatSummary, ChatTurn, Tokens};
pub use error::StoreError;
pub use grants::StoredGrant;
pub use open::{Place, Store};
pub use schema::SCHEMA_VERSION;
pub use state::{Phase, SkillState};
