//! `prowess yank`.

use clap::Args;
use prowess_registry::PackageName;
use semver::Version;
use serde_json::json;

use super::configured::{Registries, RegistryArgument, refused};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{configuration, terminal};

const HELP: &str = "\
A yanked version is not chosen any more. Who has it in a lock file can still install exactly this version, \
and is told the reason.

Examples:
  prowess yank pdf-forms@1.2.0 --reason \"loses the last page\"
  prowess yank pdf-forms@1.2.0 --undo

Exit codes:
  0  yanked, or undone
  1  the registry cannot be asked, or has no such version
  2  invalid arguments
  4  your token does not allow it";

/// Arguments of `yank`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct YankArguments {
    /// Package and version
    #[arg(value_name = "NAME@VERSION")]
    package: String,
    /// Reason, which users of the version are told
    #[arg(long, value_name = "TEXT", required_unless_present = "undo")]
    reason: Option<String>,
    /// Make the version available again
    #[arg(long, conflicts_with = "reason")]
    undo: bool,
    #[command(flatten)]
    registry: RegistryArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &YankArguments, global: &Global) -> Result<Exit> {
    let (name, version) = parse(&arguments.package)?;
    let config = configuration::load(global)?;
    let registries = Registries::new(&config, global).limited(&arguments.registry)?;
    let client = registries.owner_of(&name)?;
    let reason = arguments.reason.as_deref().unwrap_or_default();
    let done = if arguments.undo {
        client.unyank(&name, &version)
    } else {
        client.yank(&name, &version, reason)
    };
    let verb = if arguments.undo { "unyank" } else { "yank" };
    done.map_err(|error| refused(&format!("cannot {verb} {name} {version}"), &error))?;
    if arguments.json {
        terminal::print_json(&json!({
            "version": 1,
            "name": name,
            "package_version": version,
            "yanked": !arguments.undo,
            "registry": client.url().as_str(),
        }))?;
    } else {
        terminal::print(&format!("{verb}ed {name} {version}\n"))?;
    }
    Ok(Exit::Success)
}

fn parse(text: &str) -> Result<(PackageName, Version)> {
    let text = text.strip_prefix("registry:").unwrap_or(text);
    let usage = || {
        let message = format!("invalid package `{}`", text.escape_debug());
        CommandError::usage(message).hint("expected NAME@VERSION, such as `pdf-forms@1.2.0`")
    };
    let (name, version) = text.split_once('@').ok_or_else(usage)?;
    let version = Version::parse(version).map_err(|_| usage())?;
    let name = name.parse().ok().context("").map_err(|_| usage())?;
    Ok((name, version))
}
