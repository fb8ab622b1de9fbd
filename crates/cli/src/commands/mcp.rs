//! `prowess mcp`: serves skills over MCP.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{Args, Subcommand};
use prowess_core::{Skill, Skills};
use prowess_mcp::{CodeSkills, ServerOptions, SkillsServer, serve_stdio};
use prowess_runtime::CODE;
use prowess_sources::{Watch, WatchError, watch};

use super::prompt::project_root;
use crate::arguments::{Global, SourceArguments};
use crate::code_skills::open_store;
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::mcp::{self, ClientCodeSkills, McpInstallArguments, McpUninstallArguments};
use crate::{code_skills, configuration, model, open, signals, trust};

const HELP: &str = "\
MCP clients start this command. `prowess mcp install` adds it to the configuration of a client.

Examples:
  prowess mcp                        serve the skills found here
  prowess mcp --in skills            serve the skills of a directory
  prowess mcp install claude-code    add Prowess to .mcp.json";

const INSTALL_HELP: &str = "\
Examples:
  prowess mcp install claude-code     show the change to .mcp.json and ask
  prowess mcp install codex           change ~/.codex/config.toml
  prowess mcp install cursor --print  print the entry only";

const UNINSTALL_HELP: &str = "\
Examples:
  prowess mcp uninstall claude-code          change .mcp.json, after asking
  prowess mcp uninstall cursor --scope user  change ~/.cursor/mcp.json";

/// Arguments of `mcp`.
#[derive(Args)]
#[command(after_long_help = HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    command: Option<McpCommand>,
    #[command(flatten)]
    sources: SourceArguments,
}

#[derive(Subcommand)]
enum McpCommand {
    /// Add Prowess to the configuration of an MCP client
    #[command(after_long_help = INSTALL_HELP)]
    Install(McpInstallArguments),
    /// Remove Prowess from the configuration of an MCP client
    #[command(after_long_help = UNINSTALL_HELP)]
    Uninstall(McpUninstallArguments),
}

pub(crate) fn run(arguments: &McpArguments, global: &Global) -> Result<Exit> {
    match &arguments.command {
        Some(McpCommand::Install(arguments)) => mcp::install(arguments, global),
        Some(McpCommand::Uninstall(arguments)) => mcp::uninstall(arguments),
        None => serve(arguments, global),
    }
}

/// When to begin to watch.
const WATCH_AFTER: Duration = Duration::from_millis(250);

/// Serves standard input and output until they are closed.
fn serve(arguments: &McpArguments, global: &Global) -> Result<Exit> {
    trust::ask(&arguments.sources, global)?;
    // Standard error of a server is a log: no progress there.
    let mut config = configuration::load(global)?;
    // A host has tools of its own; its user may ask for ours.
    config.skills.builtin &= config.states("skills.builtin");
    let sources = SourceArguments {
        awaits_packages: true,
        ..arguments.sources.clone()
    };
    let builder = open::builder(
        &config,
        model::configured_window(&config),
        &sources,
        global,
        None,
    )?;
    let mut skills = pollster::block_on(builder.capability(CODE).build())?;
    let scripts = code_skills::scripts_unattended(skills.clone(), &config)?;
    if let Some(scripts) = &scripts {
        skills = skills.with_scripts(Arc::clone(scripts));
    }
    let searched = (skills.clone(), config.clone(), global.clone());
    let code_skills = Arc::new(ClientCodeSkills::new(skills.clone(), config));
    let server = SkillsServer::with_code(
        skills.clone(),
        ServerOptions::default(),
        Some(Arc::clone(&code_skills) as Arc<dyn CodeSkills>),
    );
    let changed = server.clone();
    let _watch = thread::spawn(move || begin_to_watch(&skills, &changed));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    // A client does not wait for the store, which only changes the order of a search.
    runtime.spawn(async move {
        let (skills, config, global) = searched;
        let store = open_store(&config).await.ok();
        if let Ok(root) = project_root() {
            signals::set(&skills, &config, store, &root, &global);
        }
    });
    let outcome = runtime.block_on(serve_stdio(
        &server,
        tokio::io::stdin(),
        tokio::io::stdout(),
    ));
    runtime.block_on(code_skills.shut_down());
    // A read of standard input cannot be cancelled, so do not wait for it.
    runtime.shutdown_background();
    if let Some(scripts) = scripts {
        // The thread that watches may still have the runner.
        scripts.forget_scratch();
    }
    outcome?;
    Ok(Exit::Success)
}

/// Watching many directories takes longer to begin than a client should wait for its first answers.
fn begin_to_watch(skills: &Skills, server: &SkillsServer) -> Result<Watch, WatchError> {
    thread::sleep(WATCH_AFTER);
    let before = skills.catalog();
    let changed = server.clone();
    let watching = watch(skills, move |_| changed.notify_changed());
    // Changes up to now were not reported.
    let after = pollster::block_on(skills.refresh());
    let stamp = |skill: Skill<'_>| (skill.descriptor.id.clone(), skill.descriptor.stamp);
    if !before.skills().map(stamp).eq(after.skills().map(stamp)) {
        server.notify_changed();
    }
    watching
}
