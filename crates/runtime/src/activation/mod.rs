//! Activation of code skills: from files to running code whose contributions take effect.

mod activate;
mod active_skill;
mod context;
mod deactivate;
mod error;
mod prepare;
mod start;
mod table;
mod transition;

pub(crate) use activate::activate;
pub(crate) use active_skill::ActiveSkill;
pub use active_skill::WORKFLOW_TOOL;
pub(crate) use context::ActivationContext;
pub use context::Parts;
pub(crate) use deactivate::{deactivate, fail_after_crash_loop};
pub use error::{ActivationError, DependencyError};
pub use start::Workers;
pub(crate) use table::ActivationTable;
pub(crate) use transition::change_state;
