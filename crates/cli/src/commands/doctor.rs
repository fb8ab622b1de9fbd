//! `prowess doctor`: is everything where it should be?

use std::fmt::Write;
use std::time::SystemTime;

use clap::Args;
use prowess_config::SkillsConfig;
use prowess_core::{Health, SourceStatus};
use serde_json::json;

use super::list::{MAX_SKILLS, RESERVED_ID};
use super::print_json;
use crate::arguments::{Global, SourceArguments};
use crate::error::Result;
use crate::exit::Exit;
use crate::{code_skills, configuration, open, terminal, trust};

const HELP: &str = "\
Examples:
  prowess doctor           check sources, configuration and sandbox
  prowess doctor --json    print the same as JSON";

/// Arguments of `doctor`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &DoctorArguments, global: &Global) -> Result<Exit> {
    let skills = open::skills(&arguments.sources, global)?;
    let catalog = skills.catalog();
    let sources: Vec<&SourceStatus> = catalog.sources().collect();
    let broken = sources
        .iter()
        .any(|source| source.health == Health::Unhealthy)
        || catalog.invalid().count() > 0;
    let config = configuration::load(global)?;
    let sandbox = prowess_sandbox::abilities(&code_skills::launcher()?);
    if arguments.json {
        print_json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "sources": sources,
            "sandbox": sandbox,
            "skills": catalog.len(),
            "omitted": catalog.omitted(),
            "shadowed": catalog.shadowed().count(),
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
            let _ = writeln!(out, "          {line}");
        }
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
    for (source, invalid) in catalog.invalid() {
        let reason = invalid.reason();
        let _ = writeln!(out, "invalid   {source}/{}: {reason}", invalid.path);
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
    terminal::print(&out)?;
    trust::hint(&catalog);
    Ok(exit(broken))
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
