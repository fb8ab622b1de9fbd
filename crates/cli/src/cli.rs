//! The command line: all commands with their arguments.

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;

use crate::arguments::Global;
use crate::audit::AuditArguments;
use crate::chat::ChatArguments;
use crate::check::CheckArguments;
use crate::commands::browse::BrowseArguments;
use crate::commands::completions::{self, CompletionsArguments};
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

impl Cli {
    /// Responds to a shell that requests completions, and exits.
    pub(crate) fn complete() {
        CompleteEnv::with_factory(Self::command)
            .var(completions::VARIABLE)
            .complete();
    }
}

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
