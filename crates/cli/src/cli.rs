//! The commands, the global options, and the options that several commands share.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use prowess_spec::manifest::Mode;

use crate::audit::AuditArguments;
use crate::chat::ChatArguments;
use crate::check::CheckArguments;
use crate::commands::browse::BrowseArguments;
use crate::commands::completions::{CompletionsArguments, ids};
use crate::commands::config::ConfigArguments;
use crate::commands::doctor::DoctorArguments;
use crate::commands::info::InfoArguments;
use crate::commands::list::ListArguments;
use crate::commands::mcp::McpArguments;
use crate::commands::permissions::PermissionsArguments;
use crate::commands::prompt::PromptArguments;
use crate::commands::read::ReadArguments;
use crate::commands::run::RunArguments;
use crate::commands::search::SearchArguments;
use crate::commands::serve::ServeArguments;
use crate::commands::show::ShowArguments;
use crate::commands::trace::TraceArguments;
use crate::commands::why::WhyArguments;
use crate::create::CreateArguments;
use crate::eval::EvalArguments;
use crate::trust::TrustArguments;

const HELP: &str = "\
Examples:
  prowess list             list the skills found here
  prowess create my-skill  create a skill
  prowess check            check every skill below this directory
  prowess chat             chat with a model that uses skills

Run `prowess COMMAND --help` for the options and examples of a command.";

/// The skills engine for AI agents.
#[derive(Parser)]
#[command(name = "prowess", version, arg_required_else_help = true, after_long_help = HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Args, Default)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) directory: Option<PathBuf>,
    /// Read FILE instead of prowess.toml
    #[arg(long, value_name = "FILE", global = true, help_heading = GLOBAL)]
    pub(crate) config: Option<PathBuf>,
    /// Use cached data only; never access the network
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) offline: bool,
    /// Print no warnings and no summary
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
}

const GLOBAL: &str = "Global options";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check skills for errors
    Check(CheckArguments),
    /// Create a skill
    Create(CreateArguments),
    /// Audit skills for security problems
    Audit(AuditArguments),
    /// List installed skills
    List(ListArguments),
    /// List the contents of a collection
    Browse(BrowseArguments),
    /// Search skills for a task
    Search(SearchArguments),
    /// Show the details of a skill
    Info(InfoArguments),
    /// Show the instructions of a skill, as a model receives them
    Show(ShowArguments),
    /// Print a file of a skill
    Read(ReadArguments),
    /// Print the skill catalog, as a model receives it
    Prompt(PromptArguments),
    /// Explain why a skill is active or not
    Why(WhyArguments),
    /// Show which skills a message activates, and their token cost
    Trace(TraceArguments),
    /// Run a workflow, tool or script of a skill
    Run(RunArguments),
    /// Chat with a model that uses skills
    Chat(ChatArguments),
    /// Measure the effect of a skill on a model
    Eval(EvalArguments),
    /// Show and accept what the project configuration accesses
    Trust(TrustArguments),
    /// List and revoke the permissions of skills
    Permissions(PermissionsArguments),
    /// Check sources, configuration and sandbox
    Doctor(DoctorArguments),
    /// Serve skills over MCP on standard input and output
    Mcp(McpArguments),
    /// Serve skills over HTTP: the API at /api, MCP at /mcp
    Serve(ServeArguments),
    /// Show or check the configuration
    Config(ConfigArguments),
    /// Print the completion script of a shell
    Completions(CompletionsArguments),
}

/// Where to look for skills.
#[derive(Args, Default)]
pub(crate) struct Where {
    /// Directory to search instead of the default places (repeatable, first match wins)
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) directories: Vec<PathBuf>,
}

/// How to write content to a terminal.
#[derive(Args, Clone, Copy)]
pub(crate) struct RawFlag {
    /// Print bytes unchanged, including terminal control codes
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

impl From<RawFlag> for crate::terminal::Content {
    fn from(flag: RawFlag) -> Self {
        if flag.raw { Self::Raw } else { Self::ForReader }
    }
}

/// Options for skills with code and their permissions.
#[derive(Args, Default)]
pub(crate) struct CodeSkillArguments {
    /// Skills to activate, as ids or directories such as ./dir (comma-separated)
    #[arg(long, value_name = "ID|DIR", value_delimiter = ',', add = ids())]
    pub(crate) skills: Vec<String>,
    /// Skills to approve for this run only (comma-separated)
    #[arg(long, value_name = "ID", value_delimiter = ',', add = ids())]
    pub(crate) approve_skills: Vec<String>,
    #[command(flatten)]
    pub(crate) place: Where,
}

/// How the host is used.
#[derive(Args, Default)]
pub(crate) struct ModeArgument {
    /// Mode for triggers [default: interactive in a terminal, else headless]
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
}

impl ModeArgument {
    pub(crate) fn mode(&self) -> Mode {
        match self.mode {
            Some(ModeName::Interactive) => Mode::Interactive,
            Some(ModeName::Wiki) => Mode::Wiki,
            None if std::io::stdin().is_terminal() => Mode::Interactive,
            Some(ModeName::Headless) | None => Mode::Headless,
        }
    }
}

/// Mode, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// With a user at a terminal
    Interactive,
    /// Without a user
    Headless,
    /// Building a wiki
    Wiki,
}
