//! Programs in sandboxes.

mod command;
mod env_files;
mod interpreter;
mod jail;
mod script;
mod secret_places;

pub(crate) use command::CommandPlace;
pub use interpreter::ProgramError;
pub use jail::Jails;
pub(crate) use jail::{ConfinedProgram, Extra, PROJECT, SKILL};
pub use script::{ScriptError, Scripts, ScriptsMode};
