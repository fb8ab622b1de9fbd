//! The options of commands that run code skills.

use clap::Args;

use crate::arguments::SourceArguments;
use crate::completer::skill_ids;

/// Options for skills with code and their permissions.
#[derive(Args, Clone, Default)]
pub(crate) struct CodeSkillArguments {
    /// Skills to activate, as ids or directories such as ./dir (comma-separated)
    #[arg(long, value_name = "ID|DIR", value_delimiter = ',', add = skill_ids())]
    pub(crate) skills: Vec<String>,
    /// Skills to approve for this run only (comma-separated)
    #[arg(long, value_name = "ID", value_delimiter = ',', add = skill_ids())]
    pub(crate) approve_skills: Vec<String>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
}
