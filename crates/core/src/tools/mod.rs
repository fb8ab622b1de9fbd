//! Tools for a model.

mod answer;
mod definition;
mod shape;

pub use answer::{Answer, ErrorCode, ScriptOutput, SkillSummary, ToolError};
pub use definition::ToolDefinition;
pub(crate) use definition::define;
pub use shape::ToolResult;
pub(crate) use shape::shape;
