//! Persistent state: approvals, the state of skills, conversations, chats, caches.
//!
//! One set of statements over SQLite (the default, a file) and PostgreSQL (by URL, shared by several machines).
//!
//! - A store that a newer Prowess wrote is refused and left untouched.
//! - A file that is not a store, or a corrupt one, is refused; a copy is saved beside it first.
//! - A file is readable by its owner only, including the files that SQLite creates beside it.
//! - If a store cannot be written, [`Store::memory`] replaces it, and the caller reports that.
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
pub use chats::{Chat, ChatSummary, ChatTurn, SkillUses, Tokens};
pub use error::StoreError;
pub use grants::StoredGrant;
pub use open::{Store, StoreBackend};
pub use schema::SCHEMA_VERSION;
pub use state::{Phase, SkillState};
