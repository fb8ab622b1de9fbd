//! Persistent state: approvals, the state of skills, conversations, chats, caches.
//!
//! One set of statements over SQLite (the default, a file) and PostgreSQL (by URL, shared by several machines).
//!
//! - A store that a newer Prowess wrote is refused and left untouched.
//! - A file that is not a store, or a corrupt one, is refused and stays where it is; [`repair`] moves it aside.
//! - A file that was removed or replaced while it is open is an error of every operation: nothing is acknowledged that is lost.
//! - Tables in PostgreSQL are in the schema `prowess`, or in the one that the search path of the URL or role names.
//! - A file is readable by its owner only, including the files that SQLite creates beside it.
//! - A store in memory is only what a caller asked for, never a replacement for one that fails.
#![allow(
    clippy::doc_markdown,
    reason = "SQLite and PostgreSQL are names, not code"
)]

mod backup;
mod cache;
mod chat_id;
mod chat_list;
mod chats;
mod connection;
mod error;
mod exclusive;
mod file;
mod file_check;
mod grants;
mod inspect;
mod named_approvals;
mod open;
mod opened_file;
mod postgres;
mod rates;
mod registry;
mod registry_read;
mod repair;
mod schema;
mod search_uses;
mod sessions;
mod state;
mod tokens;

pub use backup::{back_up, restore};
pub use cache::Cached;
pub use chat_id::ChatId;
pub use chat_list::{ChatCursor, InvalidCursor};
pub use chats::{Chat, ChatSummary, ChatTurn, SkillUse, SkillUses, Tokens};
pub use error::StoreError;
pub use grants::StoredGrant;
pub use inspect::{StoreState, inspect};
pub use named_approvals::NamedApproval;
pub use open::{Store, StoreBackend};
pub use rates::RateExchange;
pub use registry::{NewVersion, PublishOutcome, YankOutcome};
pub use registry_read::{IndexedPackage, LatestVersion, PackageRecord, VersionRecord};
pub use repair::{Repair, repair};
pub use schema::SCHEMA_VERSION;
pub use search_uses::SearchUse;
pub use state::{Phase, SkillState};
pub use tokens::TokenRecord;
