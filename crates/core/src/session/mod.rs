//! Conversations over skills.

mod call;
mod prompt;
mod state;

pub use prompt::{Prompt, ToolUse};
pub use state::{Session, ToolOutcome, ToolRefusal};
