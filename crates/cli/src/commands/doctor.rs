//! `prowess doctor`: is everything where it should be?

use std::fmt::Write;

use anyhow::Result;
use prowess_core::{Health, SourceStatus};
use serde_json::json;

use super::print_json;
use crate::cli::DoctorArguments;
use crate::exit::Exit;
use crate::{open, terminal};

pub(crate) fn run(arguments: &DoctorArguments) -> Result<Exit> {
    let skills = open::default_skills(&arguments.place)?;
    let catalog = skills.catalog();
    let sources: Vec<&SourceStatus> = catalog.sources().collect();
    let broken = sources
        .iter()
        .any(|source| source.health == Health::Unhealthy)
        || catalog.invalid().count() > 0;
    if arguments.json {
        print_json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "sources": sources,
            "skills": catalog.len(),
            "shadowed": catalog.shadowed().count(),
            "unavailable": catalog.unavailable().count(),
            "invalid": catalog.invalid().map(|(source, invalid)| json!({
                "source": source,
                "path": invalid.path,
                "reasons": invalid.diagnostics.iter().map(|found| &found.message).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(exit(broken));
    }
    let mut out = format!("prowess {}\n\n", env!("CARGO_PKG_VERSION"));
    if sources.is_empty() {
        out.push_str("no directory of skills here, above, or in the home directory\n");
    }
    for source in &sources {
        let health = match source.health {
            Health::Healthy => "ok",
            Health::Degraded => "degraded",
            Health::Unhealthy => "broken",
        };
        let _ = writeln!(
            out,
            "{health:<9} {} ({} skills)",
            source.name, source.skills
        );
        for line in source.reason.iter().chain(&source.warnings) {
            let _ = writeln!(out, "          {line}");
        }
    }
    for shadowed in catalog.shadowed() {
        let (id, winner, loser) = (
            &shadowed.winner.descriptor.id,
            shadowed.winner.source,
            shadowed.loser.source,
        );
        let _ = writeln!(out, "shadowed  {id} of {loser}, by {winner}");
    }
    for (source, invalid) in catalog.invalid() {
        let reason = invalid
            .diagnostics
            .first()
            .map_or("", |found| found.message.as_str());
        let _ = writeln!(out, "invalid   {source}/{}: {reason}", invalid.path);
    }
    terminal::print(&terminal::printable(&out))?;
    Ok(exit(broken))
}

fn exit(broken: bool) -> Exit {
    if broken { Exit::Failure } else { Exit::Success }
}
