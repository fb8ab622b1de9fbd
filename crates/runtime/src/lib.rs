//! Code skills: activation, permissions, hooks and workers.
//!
//! The `SKILL.yaml` of a code skill declares its triggers: files of the project, keywords of a message, languages and
//! modes. [`Triggers::evaluate`] returns the triggered skills with the causes. [`Runtime`] activates them: the user
//! approves their permissions for their exact content, their code starts in a worker, and their tools, hooks,
//! workflows, scanners and prompts take effect until they are deactivated.
//!
//! No code of a skill runs in this process. Its requests go through [`SkillHost`], where each call passes the skill's
//! [`Gate`].

mod activation;
mod activation_state;
mod approval;
mod backend;
mod builder;
mod builtin;
mod code_skill;
mod confined;
mod content;
mod event;
mod gate;
mod hooks;
mod host;
mod ignore_rules;
mod input;
pub mod limits;
mod manifests;
mod process;
mod program_output;
mod project;
mod project_walk;
mod prompt;
mod runtime;
mod triggers;
pub mod worker;

pub use activation::{ActivationError, DependencyError, Parts, WORKFLOW_TOOL, Workers};
pub use activation_state::{ActivationState, InvalidTransition};
pub use approval::{
    ApprovalDecision, ApprovalRequest, Approvals, Approver, CommandApprovalRequest,
    CommandDecision, NoApprover, ProtectedWriteRequest, WriteDecision,
};
pub use backend::{Backend, BackendError};
pub use builder::{RuntimeBuildError, RuntimeBuilder};
pub use builtin::{CODE, builtin_ids, builtin_skills};
pub use code_skill::{CodeSkill, CodeSkillError};
pub use confined::{
    ApprovedScript, Jails, NamedFiles, NamedFilesError, ProgramError, ScriptError, ScriptResults,
    Scripts, ScriptsMode, secret_places,
};
pub use content::{ChangedFile, ContentError, FileChangeKind, SkillContent, is_own};
pub use event::{Listener, RuntimeEvent};
pub use gate::Gate;
pub use hooks::{Cancelled, Payload};
pub use host::{
    Allowances, Environment, FileError, Model, PrivateHosts, ProjectFiles, Services, SkillHost,
};
pub use manifests::{ManifestProblem, Manifests};
pub use project::{Project, ProjectLimits};
pub use prompt::{CutFragment, Fragment, PromptReport};
pub use prowess_policy::CommandReach;
pub use runtime::{ChangedInput, Runtime, ToolResult, UnknownContribution};
pub use triggers::{Activation, Cause, Situation, TriggerError, Triggers, UnknownSkill};
