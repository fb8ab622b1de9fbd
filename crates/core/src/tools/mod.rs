//! Tools for a model.

mod definition;
mod output;
mod shape;

pub use definition::ToolDefinition;
pub(crate) use definition::{LISTED_SKILLS, MOST_QUERIES, define};
pub use output::{ErrorCode, ScriptFile, ScriptOutput, SkillSummary, ToolError, ToolOutput};
pub use shape::ToolResult;
pub(crate) use shape::shape;
