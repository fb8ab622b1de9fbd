//! Whole conversations: a scripted model behind a real endpoint that speaks as OpenAI and as Anthropic do.
#![cfg(test)]

mod cancel;
mod chats;
mod code_skills;
mod compaction;
mod conversations;
mod demo;
mod dialects;
mod eval;
mod failures;
mod support;
mod wire;
