//! Whole conversations: a scripted model behind a real endpoint that speaks as OpenAI and as Anthropic do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::doc_markdown,
    reason = "helpers of tests may panic"
)]

mod cancel;
mod chats;
mod code_skills;
mod compaction;
mod conversations;
mod demo;
mod eval;
mod failures;
mod scripted;
mod support;
mod wire;
