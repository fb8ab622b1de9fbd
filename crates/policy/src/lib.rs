//! What may be done. Everything here is pure: values in, decisions out.

mod tool_pattern;

pub use tool_pattern::{AllowedTools, ToolPattern};
