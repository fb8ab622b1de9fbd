//! The arguments of `chat`.

use clap::Args;

use crate::cli::CodeSkillArguments;
use crate::model::ModelArguments;

pub(crate) const CHAT_HELP: &str = "\
Examples:
  prowess chat                                            with the demo model: no key, no network
  prowess chat --provider anthropic --model claude-sonnet-4-5
  prowess chat --base-url http://localhost:11434/v1 --model llama3.2
  prowess chat -p \"/release-notes for version 2\"          one answer, then it ends
  git log -20 | prowess chat -p \"what changed?\"           what comes in goes along
  prowess chat --resume                                   the last chat goes on

Keys come from the environment, for example ANTHROPIC_API_KEY or OPENAI_API_KEY. To have a model of your own every
time, put it into your prowess.toml:
  [model]
  provider = \"anthropic\"
  name = \"claude-sonnet-4-5\"

In a chat, / at the beginning of a message names a skill, Tab completes it, Ctrl-C stops an answer, Ctrl-D ends the
chat, and :help lists what else there is.

Exit codes, with -p or without a terminal:
  0  there is an answer
  1  there is none, or not all of it
  2  the command line makes no sense
  4  there is no key, or it was refused";

/// Arguments of `chat`.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ChatArguments {
    /// Say this, print the answer, and end; what is piped in goes along
    #[arg(short = 'p', long = "prompt", value_name = "MESSAGE")]
    pub(crate) prompt: Option<String>,
    /// Go on with a chat: the last one, or the one with this id or the beginning of one
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// Go on with a copy of it, and leave the chat as it is
    #[arg(long, requires = "resume")]
    pub(crate) fork: bool,
    /// Do not keep the chat
    #[arg(long, conflicts_with_all = ["resume", "list", "delete"])]
    pub(crate) no_save: bool,
    /// List the chats that were kept
    #[arg(long, conflicts_with_all = ["prompt", "resume", "delete"])]
    pub(crate) list: bool,
    /// Forget a chat
    #[arg(long, value_name = "ID", conflicts_with_all = ["prompt", "resume"])]
    pub(crate) delete: Option<String>,
    /// What the model is told before everything else
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print events as JSON, one in a line
    #[arg(long)]
    pub(crate) json: bool,
}
