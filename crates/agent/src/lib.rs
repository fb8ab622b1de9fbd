//! The agent loop over any language model, with skills, and chats that persist.
//!
//! [`Agent`] is thin: it puts the prompt, the tools and the turns of [`prowess_core::Skills`] and the hooks of
//! [`prowess_runtime::Runtime`] around a [`Provider`], and tells everything that happens as [`wire::AgentEvent`]s.
//! To use your own loop, use `Skills` and `Session` alone.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use std::sync::Arc;
//! use prowess_agent::{Agent, Cancel, DemoProvider};
//! use prowess_core::{MemorySource, Scope, Skills};
//!
//! let mut source = MemorySource::new(Scope::Project);
//! source.add("haiku", "---\nname: haiku\ndescription: Writes haiku about rain\n---\nFive, seven, five.\n");
//! let skills = Skills::builder().source("mine", source).build().await.unwrap();
//!
//! let agent = Agent::builder(Arc::new(DemoProvider::new(skills.clone()))).skills(skills).build().await.unwrap();
//! let mut chat = agent.chat();
//! let done = chat.turn("write a haiku about rain", &[], &|_| (), &Cancel::new()).await.unwrap();
//! assert!(done.text.contains("Five, seven, five."));
//! # });
//! ```
//!
//! Futures of this crate need a tokio runtime with its timers and its network switched on.

mod account;
mod agent;
mod ask;
mod begin;
mod cancel;
mod chat;
mod compact;
mod error;
pub mod eval;
mod fit;
mod history;
pub mod limits;
mod model;
mod options;
mod prompt;
mod provider;
mod random;
mod replay;
mod runtime_handle;
mod search_history;
mod tools;
mod turn;
mod undo;
mod unsaved;
mod view;
pub mod wire;
mod workflow;

pub use account::{SkillTokens, TurnTokens};
pub use agent::{Agent, AgentBuilder};
pub use cancel::Cancel;
pub use chat::Chat;
pub use error::AgentError;
pub use model::model_of;
pub use options::{AgentOptions, Compaction, Retry};
pub use provider::{
    Delta, DemoProvider, GenaiProvider, Message, ModelChoice, Provider, ProviderError, Request,
    ResponseStream, StopReason, Timeouts, ToolCall, ToolReply, Usage, known_window,
};
pub use runtime_handle::{EventBuffer, RuntimeHandle};
pub use search_history::SearchHistory;
pub use turn::{Saved, TurnReport};
pub use unsaved::{Unsaved, UnsavedMessages};
pub use wire::Ending;
