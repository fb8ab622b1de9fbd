//! The command line of Prowess.
//!
//! Data goes to standard output, everything else to standard error. An error names its cause, followed by a `hint:`
//! with a command. Exit codes: see [`Exit`].

mod agent;
mod arguments;
mod audit;
mod cache;
mod chat;
mod check;
mod cli;
mod code_skills;
mod commands;
mod completer;
mod configuration;
mod create;
mod environment;
mod eval;
mod exit;
mod mcp;
mod model;
mod open;
mod progress;
mod rewrite;
mod severities;
mod table;
mod terminal;
mod trust;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

pub use exit::Exit;

use crate::cli::{Cli, Command};
use crate::exit::Refused;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    if let Some(code) = prowess_worker::run_if_worker() {
        return code;
    }
    Cli::complete();
    let cli = Cli::parse();
    let outcome = enter_directory(&cli).and_then(|()| match &cli.command {
        Command::Check(arguments) => check::run(arguments, &cli.global),
        Command::Create(arguments) => create::run(arguments, &cli.global),
        Command::Audit(arguments) => audit::run(arguments, &cli.global),
        Command::List(arguments) => commands::list::run(arguments, &cli.global),
        Command::Browse(arguments) => commands::browse::run(arguments, &cli.global),
        Command::Search(arguments) => commands::search::run(arguments, &cli.global),
        Command::Info(arguments) => commands::info::run(arguments, &cli.global),
        Command::Show(arguments) => commands::show::run(arguments, &cli.global),
        Command::Read(arguments) => commands::read::run(arguments, &cli.global),
        Command::Prompt(arguments) => commands::prompt::run(arguments, &cli.global),
        Command::Why(arguments) => commands::why::run(arguments, &cli.global),
        Command::Trace(arguments) => commands::trace::run(arguments, &cli.global),
        Command::Run(arguments) => commands::run::run(arguments, &cli.global),
        Command::Chat(arguments) => chat::run(arguments, &cli.global),
        Command::Eval(arguments) => eval::run(arguments, &cli.global),
        Command::Trust(arguments) => trust::run(arguments, &cli.global),
        Command::Permissions(arguments) => commands::permissions::run(arguments, &cli.global),
        Command::Doctor(arguments) => commands::doctor::run(arguments, &cli.global),
        Command::Mcp(arguments) => commands::mcp::run(arguments, &cli.global),
        Command::Serve(arguments) => commands::serve::run(arguments, &cli.global),
        Command::Config(arguments) => commands::config::run(arguments, &cli.global),
        Command::Completions(arguments) => commands::completions::run(arguments),
    });
    let exit = outcome.unwrap_or_else(|error| {
        if terminal::is_closed_pipe(&error) {
            return Exit::Success;
        }
        if let Some(refused) = error.downcast_ref::<Refused>() {
            terminal::print_problem(&refused.message, refused.hint.as_deref());
            return refused.exit;
        }
        if !configuration::print_error(&error) {
            terminal::print_error(&error);
        }
        Exit::Failure
    });
    exit.into()
}

fn enter_directory(cli: &Cli) -> anyhow::Result<()> {
    if let Some(directory) = &cli.global.directory {
        std::env::set_current_dir(directory).map_err(|error| {
            anyhow::Error::new(error).context(format!(
                "cannot change to directory {}",
                directory.display()
            ))
        })?;
    }
    Ok(())
}

/// The whole command line, for generated documentation.
pub fn command() -> clap::Command {
    Cli::command()
}
