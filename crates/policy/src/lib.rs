//! Permissions. Everything here is pure: values in, decisions out.

mod command;
mod decision;
mod grant;
mod tool_pattern;

pub use command::{CommandGrant, CommandPattern, CommandReach, program, reads_project};
pub use decision::{Decision, Denial, TurnLimits, Usage, decide};
pub use grant::{
    ContentDigest, Contents, Effect, Grant, Grants, InvalidDigest, Lifetime, Right, Subject,
};
pub use tool_pattern::{AllowedTools, ToolPattern};
