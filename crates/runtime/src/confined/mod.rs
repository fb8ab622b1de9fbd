//! Programs in sandboxes.

mod command;
mod env_files;
mod interpreter;
mod jail;
mod named_files;
mod script;
mod secret_places;

pub(crate) use command::CommandPlace;
pub use interpreter::ProgramError;
pub use jail::Jails;
pub(crate) use jail::{ConfinedProgram, Extra, PROJECT, SKILL};
pub use named_files::{NamedFiles, NamedFilesError, ScriptResults};
pub use script::{ApprovedScript, ScriptError, Scripts, ScriptsMode};
pub use secret_places::secret_places;
