//! The arguments of `chat`.

use clap::Args;

use crate::code_skills::CodeSkillArguments;
use crate::model::ModelArguments;

const HELP: &str = "\
Examples:
  prowess chat                                 use the demo model
  prowess chat --provider anthropic --model claude-sonnet-4-5
  prowess chat --base-url http://localhost:11434/v1 --model llama3.2
  prowess chat -p \"/release-notes version 2\"   print one answer and exit
  git log -20 | prowess chat -p \"what changed?\"
  prowess chat --resume                        continue the last chat

Keys come from the environment, for example ANTHROPIC_API_KEY or OPENAI_API_KEY. To set a default \
model, add it to your prowess.toml:
  [model]
  provider = \"anthropic\"
  name = \"claude-sonnet-4-5\"

In a chat, start a message with / to name a skill. Tab completes its id, Ctrl-C cancels an answer, \
Ctrl-D ends the chat, and :help lists the commands.

Exit codes, with -p or without a terminal:
  0  the answer is complete
  1  no answer, or an incomplete one
  2  invalid arguments
  4  the key is missing or was rejected";

/// Arguments of `chat`.
#[derive(Args)]
#[command(after_long_help = HELP)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ChatArguments {
    /// Send this message with the piped input, print the answer and exit
    #[arg(short = 'p', long = "prompt", value_name = "MESSAGE")]
    pub(crate) prompt: Option<String>,
    /// Continue a saved chat, by its id or the start of it [default: the last chat]
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// Continue a copy and leave the saved chat unchanged
    #[arg(long, requires = "resume")]
    pub(crate) fork: bool,
    /// Do not save the chat
    #[arg(long, conflicts_with_all = ["resume", "list", "delete"])]
    pub(crate) no_save: bool,
    /// List saved chats
    #[arg(long, conflicts_with_all = ["prompt", "resume", "delete"])]
    pub(crate) list: bool,
    /// List so many chats [default: 50, or all with --json]
    #[arg(long, value_name = "COUNT", requires = "list")]
    pub(crate) limit: Option<usize>,
    /// List the chats after a page, as that one said
    #[arg(long, value_name = "PLACE", requires = "list")]
    pub(crate) before: Option<String>,
    /// Delete a saved chat
    #[arg(long, value_name = "ID", conflicts_with_all = ["prompt", "resume"])]
    pub(crate) delete: Option<String>,
    /// System prompt to put before the skill catalog
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
}
