//! Living skills: when they become active, what their code may do, and what it has to say.
//!
//! A skill with a `SKILL.yaml` says what makes it active: files of the project, words of a message, a language, a
//! way of being used. [`Triggers::evaluate`] tells which skills that is the case for, and why. [`Runtime`] has them
//! become active: their permissions are approved for exactly these bytes, their code starts in a worker, and their
//! tools, handlers, workflows, scanners and prompts have an effect until they become inactive again.
//!
//! Nothing of a skill runs in this process. Whatever its code wants of the world goes through [`SkillHost`], where
//! each call passes the skill's [`Gate`].

mod activate;
mod active;
mod approval;
mod backend;
mod builtin;
mod code_skill;
mod confined;
mod content;
mod event;
mod gate;
mod hooks;
mod host;
mod language;
pub mod limits;
mod lives;
mod manifests;
mod program_output;
mod project;
mod prompt;
mod runtime;
mod start;
mod state;
mod step;
mod triggers;
pub mod worker;

pub use activate::ActivationError;
pub use approval::{
    Allowances, ApprovalDecision, Approvals, Approver, CommandDecision, CommandQuestion,
    NoApprover, Question, is_own,
};
pub use backend::{Backend, BackendError};
pub use builtin::{CODE, builtin_ids, builtin_skills};
pub use code_skill::{CodeSkill, CodeSkillError};
pub use confined::{Jails, ProgramError, ScriptError, Scripts, ScriptsMode};
pub use content::{ContentError, SkillContent};
pub use event::{Listener, RuntimeEvent};
pub use gate::Gate;
pub use hooks::{Cancelled, Payload};
pub use host::{Environment, FileError, Model, PrivateHosts, ProjectFiles, Services, SkillHost};
pub use language::languages_of;
pub use manifests::Manifests;
pub use project::{Project, ProjectLimits};
pub use prompt::{CutFragment, Fragment, PromptReport};
pub use prowess_policy::CommandReach;
pub use runtime::{ChangedInput, Parts, Runtime, ToolResult, UnknownContribution};
pub use start::Workers;
pub use state::{InvalidTransition, State};
pub use triggers::{Activation, Cause, Situation, TriggerError, Triggers, UnknownSkill};
