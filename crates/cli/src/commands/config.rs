//! `prowess config`: the values and their origins.

use std::fmt::Write;

use clap::{Args, Subcommand};
use prowess_config::SkillsConfig;
use serde_json::{Value, json};

use super::config_init::{self, ConfigInitArguments};
use super::print_json;
use crate::arguments::Global;
use crate::error::Result;
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::{configuration, environment, terminal};

const HELP: &str = "\
Examples:
  prowess config init      write a commented prowess.toml
  prowess config show      print every value and its origin
  prowess config check     report invalid keys and values";

/// Arguments of `config`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Print every key with its value and origin; mask secrets
    #[command(after_long_help = "Examples:\n  prowess config show\n  prowess config show --json")]
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the configuration files in use, highest priority first
    #[command(after_long_help = "Examples:\n  prowess config path")]
    Path {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the configuration files and each repository in them
    #[command(after_long_help = "Examples:\n  prowess config check")]
    Check,
    /// Write a commented prowess.toml; an existing one is not changed
    #[command(after_long_help = "Examples:\n  prowess config init\n  prowess config init --user")]
    Init(ConfigInitArguments),
    /// Print the JSON schema of prowess.toml
    #[command(after_long_help = "Examples:\n  prowess config schema > prowess.schema.json")]
    Schema,
}

pub(crate) fn run(arguments: &ConfigArguments, global: &Global) -> Result<Exit> {
    match &arguments.command {
        ConfigCommand::Show { json } => show(&configuration::load(global)?, *json),
        ConfigCommand::Path { json } => path(&configuration::load(global)?, *json),
        ConfigCommand::Check => check(&configuration::load(global)?, global),
        ConfigCommand::Init(arguments) => config_init::run(arguments, global),
        ConfigCommand::Schema => {
            print_json(&prowess_config::json_schema())?;
            Ok(Exit::Success)
        }
    }
}

/// Every setting with its origin; secrets are hidden.
pub(crate) fn document(config: &SkillsConfig) -> Value {
    let ignored: Vec<_> = config
        .ignored()
        .iter()
        .map(|it| json!({"key": it.key, "origin": it.origin, "reason": it.to_string()}))
        .collect();
    json!({
        "version": 1,
        "entries": config.entries(),
        "ignored": ignored,
        "ignored_files": config.ignored_files,
    })
}

fn show(config: &SkillsConfig, as_json: bool) -> Result<Exit> {
    if as_json {
        print_json(&document(config))?;
        return Ok(Exit::Success);
    }
    let column = |title, width| Column { title, width };
    let columns = [
        column("KEY", Width::Content),
        column("VALUE", Width::Rest),
        column("FROM", Width::Content),
    ];
    let rows: Vec<Vec<String>> = config
        .entries()
        .iter()
        .map(|entry| {
            let value = terminal::printable(&entry.value.to_string());
            vec![
                terminal::printable(&entry.key),
                value,
                configuration::origin(&entry.origin),
            ]
        })
        .collect();
    terminal::print(&render(&columns, &rows))?;
    Ok(Exit::Success)
}

fn path(config: &SkillsConfig, as_json: bool) -> Result<Exit> {
    if as_json {
        let files: Vec<_> = config
            .files
            .iter()
            .map(|(scope, path)| json!({"scope": scope, "path": path}))
            .collect();
        print_json(&json!({"version": 1, "files": files}))?;
        return Ok(Exit::Success);
    }
    let mut out = String::new();
    for (_, path) in &config.files {
        let _ = writeln!(out, "{}", terminal::printable(&path.display().to_string()));
    }
    terminal::print(&out)?;
    if config.files.is_empty() {
        let user = environment::user_directories().config;
        let user = user.map(|directory| directory.join("prowess").join("prowess.toml"));
        let user = user.map_or_else(String::new, |path| {
            format!(" nor {}", configuration::shown(&path))
        });
        terminal::note(&format!("no prowess.toml in this directory or above{user}"));
    }
    Ok(Exit::Success)
}

fn check(config: &SkillsConfig, global: &Global) -> Result<Exit> {
    let mut problems = 0;
    for problem in config.problems() {
        problems += 1;
        terminal::print_styled(&format!("{}\n\n", configuration::render(problem)))?;
    }
    for dropped in &config.dropped {
        let note = format!(
            "note: repository `{}` of {} is ignored: {} has one with the same name",
            dropped.name, dropped.origin, dropped.kept
        );
        terminal::note(&terminal::printable(&note));
    }
    if !global.quiet {
        let files = match config.files.as_slice() {
            [] => "no configuration file, using defaults".to_owned(),
            files => {
                let names = files.iter().map(|(_, path)| configuration::shown(path));
                names.collect::<Vec<_>>().join(", ")
            }
        };
        let verdict = match problems {
            0 => "fine".to_owned(),
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        terminal::note(&format!("{files}: {verdict}"));
    }
    Ok(if problems == 0 {
        Exit::Success
    } else {
        Exit::Findings
    })
}
