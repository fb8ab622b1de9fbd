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
mod error;
mod eval;
mod exit;
mod interrupts;
mod log;
mod mcp;
mod model;
mod open;
mod pack;
mod packages;
mod pages;
mod picker;
mod progress;
mod registries;
mod rewrite;
mod serve_chats;
mod serve_registry;
mod severities;
mod signals;
mod table;
mod target;
mod terminal;
mod test_skill;
mod trust;
mod unsaved;
mod user_file;
mod work_on;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use serde_json::json;

pub use audit::rules_reference;
pub use exit::Exit;

use crate::cli::{Cli, Command, wants_json};
use crate::error::{CommandError, Context, ErrorKind, Result};
use crate::packages::ScopeName;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    if let Some(code) = prowess_worker::run_if_worker() {
        return code;
    }
    Cli::complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return end_invalid(error),
    };
    let _log = log::start(cli.command.log());
    let as_json = wants_json(std::env::args_os()) && !cli.command.prints_events();
    let exit = run(&cli).unwrap_or_else(|error| end(&error, as_json));
    exit.into()
}

/// Reports invalid arguments.
fn end_invalid(mut error: clap::Error) -> ExitCode {
    let hint = hint(&error);
    if hint.is_some() {
        // One hint: a similar name would compete with the command that is meant.
        error.remove(ContextKind::SuggestedSubcommand);
    }
    let as_json = wants_json(std::env::args_os());
    if error.use_stderr() && (as_json || hint.is_some()) {
        let mut error = CommandError::from(error);
        if let Some(hint) = hint {
            error.hints = vec![hint.to_owned()];
        }
        return end(&error, as_json).into();
    }
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
}

/// What does the work of a command that other programs have and this one has not.
fn hint(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    match name.as_str() {
        "validate" | "lint" => Some("`prowess check` checks skills"),
        "uninstall" => Some("`prowess remove` removes an installed skill"),
        "upgrade" => Some("`prowess update` updates installed skills"),
        "ls" => Some("`prowess list` lists skills"),
        "new" | "init" => Some("`prowess create` creates a skill"),
        "scan" => Some("`prowess audit` looks for security problems"),
        _ => None,
    }
}

fn run(cli: &Cli) -> Result<Exit> {
    if let Some(directory) = &cli.global.directory {
        std::env::set_current_dir(directory)
            .with_context(|| format!("cannot change to directory {}", directory.display()))?;
    }
    match &cli.command {
        Command::Check(arguments) => check::run(arguments, &cli.global),
        Command::Test(arguments) => test_skill::run(arguments, &cli.global),
        Command::Pack(arguments) => pack::run(arguments, &cli.global),
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
        Command::Add(arguments) => packages::add::run(arguments, ScopeName::Project, &cli.global),
        Command::Install(arguments) => packages::add::run(arguments, ScopeName::User, &cli.global),
        Command::Remove(arguments) => packages::remove::run(arguments, &cli.global),
        Command::Update(arguments) => packages::update::run(arguments, &cli.global),
        Command::Outdated(arguments) => packages::outdated::run(arguments, &cli.global),
        Command::Verify(arguments) => packages::verify::run(arguments, &cli.global),
        Command::Sync(arguments) => packages::sync::run(arguments, &cli.global),
        Command::Import(arguments) => packages::import::run(arguments, &cli.global),
        Command::Publish(arguments) => pack::publish::run(arguments, &cli.global),
        Command::Yank(arguments) => registries::yank::run(arguments, &cli.global),
        Command::Registry(arguments) => registries::owners::run(arguments, &cli.global),
        Command::Login(arguments) => registries::login::login(arguments, &cli.global),
        Command::Logout(arguments) => registries::login::logout(arguments, &cli.global),
        Command::Trust(arguments) => trust::run(arguments, &cli.global),
        Command::Permissions(arguments) => commands::permissions::run(arguments, &cli.global),
        Command::Doctor(arguments) => commands::doctor::run(arguments, &cli.global),
        Command::Mcp(arguments) => commands::mcp::run(arguments, &cli.global),
        Command::Serve(arguments) => commands::serve::run(arguments, &cli.global),
        Command::Token(arguments) => commands::token::run(arguments, &cli.global),
        Command::Store(arguments) => commands::store::run(arguments, &cli.global),
        Command::Config(arguments) => commands::config::run(arguments, &cli.global),
        Command::Completions(arguments) => commands::completions::run(arguments),
    }
}

/// Prints an error and returns the exit code.
fn end(error: &CommandError, as_json: bool) -> Exit {
    match error.kind {
        ErrorKind::ClosedPipe => {}
        // Standard output may be closed, which leaves the exit code.
        _ if as_json => drop(terminal::print_json(&json!({"error": error.to_json()}))),
        _ => error.print(),
    }
    error.kind.exit()
}

/// The whole command line, for generated documentation.
pub fn command() -> clap::Command {
    Cli::command()
}
