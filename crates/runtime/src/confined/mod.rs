//! Code of any language, in a child that sees only what it was given.

mod interpreter;
mod jail;
mod script;

pub use interpreter::ProgramError;
pub use jail::Jails;
pub(crate) use jail::{Confined, Extra, PROJECT, SKILL};
pub use script::{ScriptError, Scripts, ScriptsMode};
