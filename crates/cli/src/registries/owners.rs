//! `prowess registry`: who owns a package, and copies of registries.

use clap::{Args, Subcommand};
use prowess_registry::PackageName;
use serde_json::json;

use super::configured::{Registries, RegistryArgument, refused};
use super::mirror::{self, MirrorArguments};
use crate::arguments::Global;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::{configuration, terminal};

const HELP: &str = "\
Examples:
  prowess registry owners pdf-forms              list the owners
  prowess registry owners acme/pdf --add alice   let alice publish it
  prowess registry owners acme/pdf --remove bob
  prowess registry mirror https://skills.example.com";

/// Arguments of `registry`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct RegistryArguments {
    #[command(subcommand)]
    action: RegistryAction,
}

#[derive(Subcommand)]
enum RegistryAction {
    /// List, add and remove the owners of a package
    #[command(after_long_help = HELP)]
    Owners(OwnersArguments),
    /// Copy the packages of another registry into the one of this machine
    #[command(after_long_help = mirror::HELP)]
    Mirror(MirrorArguments),
}

/// Arguments of `registry owners`.
#[derive(Args)]
struct OwnersArguments {
    /// Name of the package
    name: String,
    /// Token to add: its id, or its name at the registry
    #[arg(long, value_name = "TOKEN")]
    add: Option<String>,
    /// Token to remove
    #[arg(long, value_name = "TOKEN", conflicts_with = "add")]
    remove: Option<String>,
    #[command(flatten)]
    registry: RegistryArgument,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &RegistryArguments, global: &Global) -> Result<Exit> {
    match &arguments.action {
        RegistryAction::Owners(arguments) => owners(arguments, global),
        RegistryAction::Mirror(arguments) => mirror::run(arguments, global),
    }
}

fn owners(arguments: &OwnersArguments, global: &Global) -> Result<Exit> {
    let name: PackageName =
        arguments
            .name
            .parse()
            .map_err(|error: prowess_registry::InvalidPackageName| {
                CommandError::usage(error.to_string())
            })?;
    let config = configuration::load(global)?;
    let registries = Registries::new(&config, global).limited(&arguments.registry)?;
    let client = registries.owner_of(&name)?;
    let change = match (&arguments.add, &arguments.remove) {
        (Some(who), _) => Some((who, true)),
        (None, Some(who)) => Some((who, false)),
        (None, None) => None,
    };
    if let Some((who, is_owner)) = change {
        let cannot = || format!("cannot change the owners of {name}");
        let done = client.set_owner(&name, who, is_owner);
        done.map_err(|error| refused(&cannot(), &error))?;
    }
    let owners = client.owners(&name);
    let owners =
        owners.map_err(|error| refused(&format!("cannot list the owners of {name}"), &error))?;
    if arguments.json {
        terminal::print_json(&json!({"version": 1, "name": name, "owners": owners}))?;
    } else {
        for owner in &owners {
            terminal::print(&format!("{}\n", terminal::one_line(owner)))?;
        }
    }
    Ok(Exit::Success)
}
