//! Conversations over skills.

mod call;
mod prompt;
mod state;

pub use prompt::ToolUse;
pub use state::Session;
