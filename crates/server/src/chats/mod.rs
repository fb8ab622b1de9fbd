//! Chats over HTTP: saved chats, turns, event streams, approvals, and the AG-UI protocol.

mod ag_ui;
mod approver;
mod command;
mod content;
mod event;
mod event_id;
mod host;
mod live_chat;
mod live_table;
mod log;
mod logged_event;
mod messages;
mod owner;
mod questions;
mod routes;
mod saved;
mod service;
mod state;
mod stream;
mod task;

pub use host::{ChatAgent, ChatHost, ChatModel, OnDisconnect, QuestionText};
pub use service::Chats;
