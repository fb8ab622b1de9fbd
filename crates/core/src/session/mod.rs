//! Conversations over skills.

mod browse;
mod call;
mod prompt;
mod state;
mod tool_arguments;

pub use prompt::{Prompt, ToolUse};
pub use state::{Session, ToolOutcome, ToolRefusal};
