//! The runtime of code skills.

mod calls;
mod contributions;
mod handle;
mod shared;
mod workflow_tool;

pub use calls::{ChangedInput, ToolResult, UnknownContribution};
pub use handle::Runtime;
