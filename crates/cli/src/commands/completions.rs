//! `prowess completions`: what a shell needs to complete commands, options and the ids of skills.

use std::ffi::OsStr;

use anyhow::{Context, Result};
use clap::Args;
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use crate::cli::{Cli, Global, Where};
use crate::exit::Exit;
use crate::{open, terminal};

const HELP: &str = "\
Examples (add one line to the startup file of your shell):
  bash        source <(prowess completions bash)
  zsh         source <(prowess completions zsh)
  fish        prowess completions fish | source
  powershell  prowess completions powershell \
| Out-String | Invoke-Expression";

/// Arguments of `completions`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct CompletionsArguments {
    /// Shell: bash, elvish, fish, powershell or zsh
    pub(crate) shell: String,
}

/// The variable with which a shell requests candidates.
const VARIABLE: &str = "PROWESS_COMPLETE";

/// Responds to a request for candidates, and exits.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(Cli::command)
        .var(VARIABLE)
        .complete();
}

pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Exit> {
    let shells = Shells::builtins();
    let names = || shells.names().collect::<Vec<_>>().join(", ");
    let shell = shells.completer(&arguments.shell).with_context(|| {
        let shell = &arguments.shell;
        format!("unsupported shell `{shell}`; expected one of: {}", names())
    })?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "prowess", "prowess", "prowess", &mut script)?;
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}

/// Completes the id of a skill, by its beginning or by the beginning of its name.
pub(crate) fn ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let current = current.to_string_lossy();
        let place = Where::default();
        // Completion must be fast: use cached data of remote sources.
        let global = Global {
            quiet: true,
            offline: true,
            ..Global::default()
        };
        let Ok(skills) = open::skills(&place, &global) else {
            return Vec::new();
        };
        let catalog = skills.catalog();
        let starts = |text: &str| text.starts_with(&*current);
        let found = catalog.skills().filter(|skill| {
            starts(skill.descriptor.id.as_str()) || starts(skill.descriptor.name())
        });
        let candidate = |skill: prowess_core::Skill<'_>| {
            let description = terminal::printable(&skill.descriptor.description);
            let line = description.lines().next().unwrap_or_default().to_owned();
            CompletionCandidate::new(skill.descriptor.id.as_str()).help(Some(line.into()))
        };
        found.map(candidate).collect()
    })
}
