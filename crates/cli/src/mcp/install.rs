//! `prowess mcp install` and `uninstall`: one entry in the configuration file of a client, shown before it is written.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use prowess_sources::default_chain;

use super::client::{Client, Scope, Target};
use super::edit::{added, removed, snippet};
use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::rewrite::{
    Access, Exchanged, copy, difference, edit_text, exchange, make_directories, read,
};
use crate::{configuration, environment, terminal};

/// Bytes of the configuration of a client.
const CONFIGURATION_BYTES: u64 = 16 * 1024 * 1024;

/// Arguments of `mcp install`.
#[derive(Args)]
pub(crate) struct McpInstallArguments {
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

/// Arguments of `mcp uninstall`.
#[derive(Args)]
pub(crate) struct McpUninstallArguments {
    /// Client to configure
    #[arg(value_enum)]
    client: Client,
    /// Configuration to change [default: project, if the client supports it]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
}

pub(crate) fn install(arguments: &McpInstallArguments, global: &Global) -> Result<Exit> {
    let target = target(arguments.client, arguments.scope)?;
    let command = command(arguments)?;
    if !global.quiet {
        for directory in seen_twice(arguments.client, &arguments.sources)? {
            terminal::note(&format!(
                "warning: the client reads {directory} itself and will see its skills twice; use `--in` to serve other directories"
            ));
        }
    }
    if arguments.print {
        let file = configuration::shown(&target.file);
        terminal::note(&format!("in {file}:"));
        terminal::print(&snippet(&target, &command)?)?;
        return Ok(Exit::Success);
    }
    let change = |before: &str| {
        let after = edit_text(before, |text| added(&target, text, &command));
        after.context("cannot add an entry; use `--print` to print it")
    };
    write(&target, change, "already contains the entry", arguments.yes)
}

pub(crate) fn uninstall(arguments: &McpUninstallArguments) -> Result<Exit> {
    let target = target(arguments.client, arguments.scope)?;
    let file = configuration::shown(&target.file);
    let missing = || {
        CommandError::failure(format!("{file} has no entry of Prowess"))
            .hint("use `--scope` to name the other configuration of the client")
    };
    if !target.file.exists() {
        return Err(missing());
    }
    let change =
        |before: &str| edit_text(before, |text| removed(&target, text)?.ok_or_else(missing));
    write(&target, change, "is unchanged", arguments.yes)
}

fn target(client: Client, scope: Option<Scope>) -> Result<Target> {
    let scope = scope.unwrap_or(client.usual_scope());
    let home = environment::user_directories().home;
    client.target(scope, home).with_context(|| {
        let scope = format!("{scope:?}").to_lowercase();
        format!("this client does not support the scope `{scope}`")
    })
}

/// Directories that the client reads itself and the server would serve, too.
fn seen_twice(client: Client, sources: &SourceArguments) -> Result<Vec<String>> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let served: Vec<PathBuf> = if sources.directories.is_empty() {
        let chain = default_chain(&directory, &user);
        chain.into_iter().map(|link| link.path).collect()
    } else {
        sources.directories.clone()
    };
    let served: Vec<PathBuf> = served
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let bases = [Some(directory), user.home].into_iter().flatten();
    let own = bases.flat_map(|base| client.own_directories().iter().map(move |it| base.join(it)));
    let is_served = |path: &PathBuf| {
        let real = path.canonicalize();
        real.is_ok_and(|real| served.iter().any(|it| it.starts_with(&real)))
    };
    Ok(own
        .filter(is_served)
        .map(|path| configuration::shown(&path))
        .collect())
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

/// Shows what `change` makes of the file, asks, and writes exactly that.
fn write(
    target: &Target,
    change: impl FnOnce(&str) -> Result<String>,
    unchanged: &str,
    yes: bool,
) -> Result<Exit> {
    let file = configuration::shown(&target.file);
    let path = std::path::absolute(&target.file)?;
    if path.is_symlink() {
        return Err(
            CommandError::failure(format!("cannot change {file}: it is a symbolic link"))
                .hint("change the file that it points to"),
        );
    }
    let read = || -> Result<Option<String>> {
        let bytes = read(&path, CONFIGURATION_BYTES);
        let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
        let text = bytes.map(String::from_utf8).transpose();
        text.map_err(|_| CommandError::failure(format!("cannot read {file}: not UTF-8")))
    };
    let before = read()?;
    let old = before.as_deref().unwrap_or_default();
    let after = change(old)?;
    if before.as_deref() == Some(&after) {
        terminal::note(&format!("{file} {unchanged}"));
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
    if let Some(before) = &before {
        let backup = save(&path, before.as_bytes())?;
        terminal::note(&format!(
            "saved the old file as {}",
            configuration::shown(&backup)
        ));
    } else if let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        make_directories(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    // Exactly what was shown, or nothing.
    let before = before.as_deref().map(str::as_bytes);
    let exchanged = exchange(&path, before, after.as_bytes(), Access::Usual);
    match exchanged.with_context(|| format!("cannot write {file}"))? {
        Exchanged::Done => {}
        Exchanged::Changed => {
            return Err(CommandError::failure(format!(
                "{file} changed; run the command again"
            )));
        }
    }
    terminal::note(&format!("wrote {file}; restart the client to use it"));
    Ok(Exit::Success)
}

/// Saves the old file beside it, with its mode and owner, under a name that nothing has.
fn save(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    for number in 0_usize.. {
        let mut name = path.as_os_str().to_owned();
        name.push(".bak");
        if number > 0 {
            name.push(format!(".{number}"));
        }
        let name = PathBuf::from(name);
        let copied = copy(path, bytes, &name);
        if copied.with_context(|| format!("cannot write {}", name.display()))? == Exchanged::Done {
            return Ok(name);
        }
    }
    Err(CommandError::failure("too many files are named .bak"))
}
