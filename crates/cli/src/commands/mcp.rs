//! `prowess mcp`: serves skills over MCP.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{Args, Subcommand};
use prowess_core::{Skill, Skills};
use prowess_mcp::{CodeSkills, ServerOptions, SkillsServer, serve_stdio};
use prowess_runtime::CODE;
use prowess_sources::{Watch, WatchError, watch};

use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::mcp::{Client, ClientCodeSkills, Scope, Target, added, snippet};
use crate::rewrite::{difference, make_directories, replace};
use crate::{code_skills, configuration, environment, model, open, terminal, trust};

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
}

#[derive(Args)]
struct McpInstallArguments {
    /// Client to configure
    #[arg(value_enum)]
    client: Client,
    /// Configuration to change [default: project, if the client supports it]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Print the entry and its file; write nothing
    #[arg(long)]
    print: bool,
    /// Write without asking
    #[arg(short, long, conflicts_with = "print")]
    yes: bool,
    #[command(flatten)]
    sources: SourceArguments,
}

pub(crate) fn run(arguments: &McpArguments, global: &Global) -> Result<Exit> {
    match &arguments.command {
        Some(McpCommand::Install(install)) => self::install(install),
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
    let mut builder = open::builder(
        &config,
        model::configured_window(&config),
        &arguments.sources,
        global,
        None,
    )?;
    let scripts = code_skills::scripts_unattended(&config)?;
    if let Some(scripts) = &scripts {
        builder = builder.scripts(Arc::clone(scripts));
    }
    let skills = pollster::block_on(builder.capability(CODE).build())?;
    if let Some(scripts) = &scripts {
        scripts.serve(&skills);
    }
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
    let outcome = runtime.block_on(serve_stdio(
        &server,
        tokio::io::stdin(),
        tokio::io::stdout(),
    ));
    runtime.block_on(code_skills.shut_down());
    // A read of standard input cannot be cancelled, so do not wait for it.
    runtime.shutdown_background();
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

fn install(arguments: &McpInstallArguments) -> Result<Exit> {
    let scope = arguments.scope.unwrap_or(arguments.client.usual_scope());
    let home = environment::user_directories().home;
    let target = arguments.client.target(scope, home).with_context(|| {
        let scope = format!("{scope:?}").to_lowercase();
        format!("this client does not support the scope `{scope}`")
    })?;
    let command = command(arguments)?;
    if arguments.print {
        let file = configuration::shown(&target.file);
        terminal::note(&format!("in {file}:"));
        terminal::print(&snippet(&target, &command)?)?;
        return Ok(Exit::Success);
    }
    write(&target, &command, arguments.yes)
}

/// The command for the client.
fn command(arguments: &McpInstallArguments) -> Result<Vec<String>> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let mut command = vec![if is_in_path(&program) {
        "prowess".to_owned()
    } else {
        text(&program)?
    }];
    command.push("mcp".to_owned());
    for directory in &arguments.sources.directories {
        let directory = fs::canonicalize(directory)
            .with_context(|| format!("cannot find {}", directory.display()))?;
        command.push("--in".to_owned());
        command.push(text(&directory)?);
    }
    Ok(command)
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().context("invalid path: not UTF-8")?;
    Ok(text.to_owned())
}

/// Whether `prowess` alone finds this very program.
fn is_in_path(program: &Path) -> bool {
    let Ok(program) = fs::canonicalize(program) else {
        return false;
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|directory| directory.join("prowess"))
        .find(|candidate| candidate.is_file());
    found.is_some_and(|found| fs::canonicalize(found).is_ok_and(|found| found == program))
}

fn write(target: &Target, command: &[String], yes: bool) -> Result<Exit> {
    let file = configuration::shown(&target.file);
    let before = match fs::read_to_string(&target.file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {file}")),
    };
    let old = before.as_deref().unwrap_or_default();
    let after = added(target, old, command)
        .with_context(|| format!("cannot add an entry to {file}; use `--print` to print it"))?;
    if before.as_deref() == Some(&after) {
        terminal::note(&format!("{file} already contains the entry"));
        return Ok(Exit::Success);
    }
    terminal::print_styled(&difference(&file, old, &after))?;
    if !yes && !terminal::can_ask() {
        let message = format!("{file} was not written: asking needs a terminal");
        return Err(CommandError::failure(message).hint("use `--yes` to write without asking"));
    }
    if !yes && !terminal::confirm(&format!("write {file}?"))? {
        terminal::note("nothing written");
        return Ok(Exit::Success);
    }
    // Write exactly what was shown, or nothing.
    let now = fs::read_to_string(&target.file).ok();
    if now != before {
        return Err(CommandError::failure(format!(
            "{file} changed; run the command again"
        )));
    }
    let path = std::path::absolute(&target.file)?;
    if path.is_symlink() {
        return Err(
            CommandError::failure(format!("cannot write {file}: it is a symbolic link"))
                .hint("change the file that it points to"),
        );
    }
    if let Some(before) = &before {
        let backup = backup(&path);
        replace(&backup, before.as_bytes())
            .with_context(|| format!("cannot write {}", backup.display()))?;
        terminal::note(&format!(
            "saved the old file as {}",
            configuration::shown(&backup)
        ));
    } else if let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        make_directories(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    replace(&path, after.as_bytes()).with_context(|| format!("cannot write {file}"))?;
    terminal::note(&format!("wrote {file}; restart the client to use it"));
    Ok(Exit::Success)
}

/// A name for the old file that nothing has yet.
fn backup(path: &Path) -> PathBuf {
    let named = |number: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 0 {
            ".bak".to_owned()
        } else {
            format!(".bak.{number}")
        });
        PathBuf::from(name)
    };
    let mut number = 0;
    while named(number).exists() {
        number += 1;
    }
    std::path::absolute(named(number)).unwrap_or_else(|_| named(number))
}
