//! `prowess completions`: what a shell needs to complete commands, options and the ids of skills.

use clap::Args;
use clap_complete::env::Shells;

use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::terminal;

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
pub(crate) const VARIABLE: &str = "PROWESS_COMPLETE";

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
