//! The command line: all commands with their arguments.

use std::ffi::OsString;

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
use crate::commands::store::StoreArguments;
use crate::commands::token::TokenArguments;
use crate::commands::trace::TraceArguments;
use crate::commands::why::WhyArguments;
use crate::create::CreateArguments;
use crate::error::CommandError;
use crate::eval::EvalArguments;
use crate::log::LogFormat;
use crate::pack::PackArguments;
use crate::pack::publish::PublishArguments;
use crate::packages::add::{AddArguments, add_help, install_help};
use crate::packages::import::ImportArguments;
use crate::packages::outdated::OutdatedArguments;
use crate::packages::remove::RemoveArguments;
use crate::packages::sync::SyncArguments;
use crate::packages::update::UpdateArguments;
use crate::packages::verify::VerifyArguments;
use crate::registries::login::{LoginArguments, LogoutArguments};
use crate::registries::owners::RegistryArguments;
use crate::registries::yank::YankArguments;
use crate::test_skill::TestArguments;
use crate::trust::TrustArguments;

const HELP: &str = "\
Examples:
  prowess list             list the skills found here
  prowess create my-skill  create a skill
  prowess check            check every skill below this directory
  prowess chat             chat with a model that uses skills

Run `prowess COMMAND --help` for the options and examples of a command.

With --json, a command that fails prints its error to standard output:
  {\"error\": {\"code\": \"usage\", \"message\": \"...\", \"hints\": [\"...\"]}}

Error codes and exit codes:
  failure      1
  usage        2
  permission   4
  interrupted  1";

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

/// Whether the arguments request JSON. Looks at the words, because invalid arguments are reported as JSON, too.
pub(crate) fn wants_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut previous = OsString::new();
    for word in arguments.take_while(|word| word != "--") {
        if word == "--json" || word == "--format=json" || (previous == "--format" && word == "json")
        {
            return true;
        }
        previous = word;
    }
    false
}

impl From<clap::Error> for CommandError {
    fn from(error: clap::Error) -> Self {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = message.split_whitespace().collect();
        let message = words.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let hint = |line: &str| {
            let line = line.trim();
            let tip = line.strip_prefix("tip: ").map(str::to_owned);
            tip.or_else(|| Some(format!("usage: {}", line.strip_prefix("Usage: ")?)))
        };
        Self {
            hints: text.lines().filter_map(hint).collect(),
            ..Self::usage(format!("invalid arguments: {message}"))
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check skills for errors
    Check(CheckArguments),
    /// Check skills and run their test cases
    Test(TestArguments),
    /// Pack a skill into one file, and sign it
    Pack(PackArguments),
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
    /// Install skills in this project
    #[command(after_long_help = add_help())]
    Add(AddArguments),
    /// Install skills for you, in every project
    #[command(after_long_help = install_help())]
    Install(AddArguments),
    /// Remove installed skills
    #[command(visible_alias = "rm")]
    Remove(RemoveArguments),
    /// Update installed skills
    Update(UpdateArguments),
    /// List installed skills that have a newer version
    Outdated(OutdatedArguments),
    /// Compare installed skills with prowess.lock
    Verify(VerifyArguments),
    /// Install exactly what prowess.lock says
    Sync(SyncArguments),
    /// Take over skills that other tools installed
    Import(ImportArguments),
    /// Publish a skill to a registry
    Publish(PublishArguments),
    /// Yank a published version, or undo that
    Yank(YankArguments),
    /// Manage packages of a registry
    Registry(RegistryArguments),
    /// Log in to a registry of packages
    Login(LoginArguments),
    /// Remove the token of a registry
    Logout(LogoutArguments),
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
    /// Create, list and revoke tokens of clients of `serve`
    Token(TokenArguments),
    /// Back up and restore the store of chats, approvals and packages
    Store(StoreArguments),
    /// Show or check the configuration
    Config(ConfigArguments),
    /// Print the completion script of a shell
    Completions(CompletionsArguments),
}

impl Command {
    /// The log that the command line asks for.
    pub(crate) fn log(&self) -> Option<LogFormat> {
        match self {
            Self::Serve(serve) => serve.log,
            _ => None,
        }
    }

    /// Whether the command prints JSON events, of which the last ones report a failure.
    pub(crate) fn prints_events(&self) -> bool {
        matches!(self, Self::Chat(chat) if chat.json && !chat.list && chat.delete.is_none())
    }
}
