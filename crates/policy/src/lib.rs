//! What may be done. Everything here is pure: values in, decisions out.

mod decision;
mod grant;
mod tool_pattern;

pub use decision::{Decision, Denial, TurnLimits, Usage, decide};
pub use grant::{ContentDigest, Contents, Effect, Grant, Grants, Lifetime, Right, Subject};
pub use tool_pattern::{AllowedTools, ToolPattern};
