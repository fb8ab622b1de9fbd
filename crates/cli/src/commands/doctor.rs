//! `prowess doctor`: is everything where it should be?

use std::fmt::Write;
use std::io;
use std::time::SystemTime;

use clap::Args;
use prowess_config::SkillsConfig;
use prowess_core::wire::{MAX_SKILLS, RESERVED_ID};
use prowess_core::{Health, SourceStatus};
use prowess_store::{Repair, StoreBackend, repair};
use prowess_worker::ParserJail;
use serde_json::json;

use super::checkup::Checkup;
use super::list::is_unavailable;
use super::print_json;
use crate::arguments::{Global, SourceArguments};
use crate::error::{Context, Result};
use crate::exit::Exit;
use crate::{code_skills, configuration, open, terminal, trust};

const HELP: &str = "\
Examples:
  prowess doctor              check sources, sandbox, store, model and more
  prowess doctor --strict     fail if a source is unavailable
  prowess doctor --ask-model  send one short request to the model
  prowess doctor --json       print the same as JSON
  prowess doctor --repair     rename a damaged store

Exit codes:
  0  everything works, possibly with warnings
  1  a source, a skill, a manifest, the store or the model is broken";

/// Arguments of `doctor`.
#[derive(Args)]
#[command(after_long_help = HELP)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Exit with 1 if a source is unavailable, even if its cached data is used
    #[arg(long)]
    pub(crate) strict: bool,
    /// Send one short request to the model, which may cost money
    #[arg(long)]
    pub(crate) ask_model: bool,
    /// Rename the file of the store if it is damaged and no process uses it
    #[arg(long)]
    pub(crate) repair: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &DoctorArguments, global: &Global) -> Result<Exit> {
    if arguments.repair {
        // Before anything else opens the store.
        repair_store(global)?;
    }
    let skills = open::skills(&arguments.sources, global)?;
    let catalog = skills.catalog();
    let sources: Vec<&SourceStatus> = catalog.sources().collect();
    let config = configuration::load(global)?;
    let named = &arguments.sources;
    let checkup = Checkup::new(&config, &skills, named, global, arguments.ask_model)?;
    let fails = |source: &&SourceStatus| {
        source.health == Health::Unhealthy || (arguments.strict && is_unavailable(source))
    };
    let broken = sources.iter().any(fails) || catalog.invalid().count() > 0 || checkup.is_broken();
    let sandbox = prowess_sandbox::abilities(&code_skills::launcher()?);
    let parsers = code_skills::parsers().jail();
    if arguments.json {
        print_json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "sources": sources,
            "sandbox": sandbox,
            "parsers": parsers.as_ref().ok().map(|jail| jail.as_str()),
            "store": checkup.store,
            "registry": checkup.registry,
            "model": checkup.model,
            "manifests": checkup.manifests,
            "packages": checkup.packages,
            "unused_directories": checkup.unused,
            "skills": catalog.len(),
            "omitted": catalog.omitted(),
            "shadowed": catalog.shadowed().count(),
            "labelled": catalog.clashes().count(),
            "unavailable": catalog.unavailable().count(),
            "ignored_files": config.ignored_files,
            "ignored_keys": config.ignored().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "refused": catalog.refused().map(|skill| json!({
                "id": skill.descriptor.id,
                "source": skill.source,
                "reason": RESERVED_ID,
            })).collect::<Vec<_>>(),
            "invalid": catalog.invalid().map(|(source, invalid)| json!({
                "source": source,
                "path": invalid.path,
                "reasons": invalid.reasons().collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(exit(broken));
    }
    let mut out = format!("prowess {}\n", env!("CARGO_PKG_VERSION"));
    for (_, path) in &config.files {
        let _ = writeln!(out, "configured by {}", configuration::shown(path));
    }
    for warning in configuration::warnings(&config) {
        let _ = writeln!(out, "ignored   {warning}");
    }
    out.push('\n');
    if sources.is_empty() {
        out.push_str(&without_sources(&config));
    }
    for source in &sources {
        out.push_str(&source_lines(source));
    }
    if catalog.omitted() > 0 {
        let omitted = catalog.omitted();
        let _ = writeln!(out, "omitted   {omitted} skills: raise `{MAX_SKILLS}`");
    }
    for skill in catalog.refused() {
        let (id, source) = (&skill.descriptor.id, skill.source);
        let _ = writeln!(
            out,
            "refused   {id} of {source}: {RESERVED_ID}: a built-in skill has this id"
        );
    }
    for shadowed in catalog.shadowed() {
        let (loser, winner) = (shadowed.loser.path(), shadowed.winner.path());
        let _ = writeln!(out, "shadowed  {loser}, by {winner}");
    }
    for clash in catalog.clashes() {
        let _ = writeln!(out, "labelled  {clash}");
    }
    for (source, invalid) in catalog.invalid() {
        let reason = invalid.reason();
        let line = format!("invalid   {source}/{}: {reason}", invalid.path);
        let _ = writeln!(out, "{}", terminal::one_line(&line));
    }
    out.push('\n');
    match sandbox.isolation {
        Some(isolation) => {
            let _ = writeln!(out, "sandbox   {isolation}, on {}", sandbox.kernel);
        }
        None => out.push_str("sandbox   none: code of skills other than Starlark does not run\n"),
    }
    for (layer, ability) in sandbox.layers() {
        let _ = writeln!(out, "          {layer}: {}", ability.sentence);
    }
    out.push_str(&parser_line(parsers.as_ref()));
    out.push_str(&checkup.lines());
    terminal::print(&terminal::printable(&out))?;
    trust::hint(&catalog);
    Ok(exit(broken))
}

/// Moves a damaged file of the store out of the way.
fn repair_store(global: &Global) -> Result<()> {
    let config = configuration::load(global)?;
    let StoreBackend::File(path) = code_skills::store_backend(&config) else {
        return Ok(());
    };
    if !path.exists() {
        return Ok(());
    }
    let repaired = pollster::block_on(repair(&path));
    let shown = configuration::shown(&path);
    match repaired.with_context(|| format!("cannot repair the store `{shown}`"))? {
        Repair::NotNeeded => {}
        Repair::MovedAside { aside, reason } => {
            let aside = configuration::shown(&aside);
            terminal::note(&terminal::printable(&format!(
                "renamed the damaged store `{shown}` to `{aside}` ({reason}); the next command creates a new one"
            )));
            terminal::hint("to restore a backup, run `prowess store restore FILE`");
        }
    }
    Ok(())
}

/// How the parsers of an audit are held.
fn parser_line(jail: std::result::Result<&ParserJail, &io::Error>) -> String {
    match jail {
        Ok(ParserJail::LockedDown) => {
            "parsers   locked down: code that is audited reaches no file, program or network\n"
                .to_owned()
        }
        Ok(ParserJail::BoundedOnly) => {
            "parsers   bounded in memory and time only: this system cannot lock a process down\n"
                .to_owned()
        }
        Err(error) => format!("parsers   none: {error}; an audit reports all code as not read\n"),
    }
}

fn source_lines(source: &SourceStatus) -> String {
    let mut out = String::new();
    let health = match source.health {
        Health::Healthy => "ok",
        Health::Degraded => "degraded",
        Health::Unhealthy => "broken",
        Health::Untrusted => "untrusted",
    };
    let skills = match source.skills {
        1 => "1 skill".to_owned(),
        count => format!("{count} skills"),
    };
    let refreshed = source.refreshed.map(ago).unwrap_or_default();
    let _ = writeln!(out, "{health:<9} {} ({skills}){refreshed}", source.name);
    if source.hidden > 0 {
        let _ = writeln!(
            out,
            "          {} hidden directories not searched",
            source.hidden
        );
    }
    for line in source.reason.iter().chain(&source.warnings) {
        let _ = writeln!(out, "          {}", terminal::one_line(line));
    }
    out
}

/// Why there is no source.
fn without_sources(config: &SkillsConfig) -> String {
    let none = || "no skills directory here, above, or in the home directory".to_owned();
    configuration::disabled(config).unwrap_or_else(none) + "\n"
}

/// How long ago that was, in one unit.
fn ago(seconds_since_1970: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs().saturating_sub(seconds_since_1970));
    let (count, unit) = match seconds {
        0..60 => return ", refreshed just now".to_owned(),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "days"),
    };
    format!(", refreshed {count} {unit} ago")
}

fn exit(broken: bool) -> Exit {
    if broken { Exit::Failure } else { Exit::Success }
}
