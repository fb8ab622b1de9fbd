//! `prowess list`.

use std::borrow::Cow;
use std::fmt::Write;

use clap::Args;
use prowess_core::{
    Catalog, Descriptor, Health, LevelTokens, NestedSkill, Scope, Skill, SourceStatus,
};
use serde::Serialize;

use crate::arguments::{Global, SourceArguments};
use crate::error::Result;
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::terminal::print_json;
use crate::{configuration, model, open, terminal, trust};

const HELP: &str = "\
Examples:
  prowess list              list the skills of this project and user
  prowess list --all        include shadowed and invalid skills
  prowess list --in skills  list the skills below one directory";

/// Arguments of `list`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Include shadowed, unavailable and invalid skills
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Why a skill with the id of a built-in one is refused.
pub(super) const RESERVED_ID: &str = "reserved-id";

#[derive(Serialize)]
struct Document<'c> {
    version: u32,
    skills: Vec<Row<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<Row<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedRow<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shadowed: Vec<ShadowedRow<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invalid: Vec<InvalidRow<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nested: Vec<NestedSkill>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<OmittedRow>,
    sources: Vec<&'c SourceStatus>,
}

#[derive(Serialize)]
struct Row<'c> {
    #[serde(flatten)]
    descriptor: &'c Descriptor,
    name: &'c str,
    source: &'c str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<String>,
    tokens: LevelTokens,
}

/// Skills beyond the limit, and the setting that raises it.
#[derive(Serialize)]
struct OmittedRow {
    count: usize,
    setting: &'static str,
}

/// The setting that limits the number of skills.
pub(super) const MAX_SKILLS: &str = "skills.max_skills";

#[derive(Serialize)]
struct RefusedRow<'c> {
    id: &'c str,
    source: &'c str,
    reason: &'static str,
}

#[derive(Serialize)]
struct ShadowedRow<'c> {
    id: &'c str,
    source: &'c str,
    path: String,
    winner: &'c str,
    winner_path: String,
}

#[derive(Serialize)]
struct InvalidRow<'c> {
    path: &'c str,
    source: &'c str,
    reasons: Vec<&'c str>,
}

pub(crate) fn run(arguments: &ListArguments, global: &Global) -> Result<Exit> {
    if !arguments.json {
        trust::ask(&arguments.sources, global)?;
    }
    let config = configuration::load(global)?;
    let window = model::configured_window(&config);
    let skills = open::skills_with(&config, window, &arguments.sources, global, |it| it)?;
    let catalog = skills.catalog();
    let nested = if arguments.all {
        pollster::block_on(skills.nested())
    } else {
        Vec::new()
    };
    if arguments.json {
        print_json(&document(&catalog, arguments.all, nested))?;
        return Ok(Exit::Success);
    }
    if !catalog.is_empty() {
        terminal::print(&table(catalog.skills()))?;
    }
    if arguments.all {
        print_rest(&catalog, &nested)?;
    }
    if !global.quiet {
        for source in catalog.sources() {
            if let Some(reason) = &source.reason {
                let (level, more) = match source.health {
                    Health::Degraded => ("warning: ", " (cached data is used)"),
                    // The question shows what each of them reaches.
                    Health::Untrusted => continue,
                    _ => ("warning: ", ""),
                };
                let note = format!("{level}{}: {reason}{more}", source.name);
                terminal::note(&terminal::printable(&note));
            }
            for warning in &source.warnings {
                terminal::note(&format!("warning: {}", terminal::printable(warning)));
            }
        }
        // Why there are none was printed before.
        if config.skills.enabled || !arguments.sources.directories.is_empty() {
            terminal::note(&summary(&catalog));
        }
        trust::hint(&catalog);
    }
    Ok(Exit::Success)
}

pub(super) fn table<'c>(skills: impl Iterator<Item = Skill<'c>>) -> String {
    let columns = [
        Column {
            title: "SKILL",
            width: Width::Content,
        },
        Column {
            title: "DESCRIPTION",
            width: Width::Rest,
        },
        Column {
            title: "TOKENS",
            width: Width::Content,
        },
        Column {
            title: "SOURCE",
            width: Width::Content,
        },
    ];
    let rows: Vec<Vec<Cow<'_, str>>> = skills
        .map(|skill| {
            let descriptor = skill.descriptor;
            vec![
                descriptor.id.as_str().into(),
                one_line(&descriptor.description),
                descriptor.tokens().instructions.to_string().into(),
                (&**skill.source).into(),
            ]
        })
        .collect();
    render(&columns, &rows)
}

/// A text with single blanks between its words.
fn one_line(text: &str) -> Cow<'_, str> {
    let is_one = !text.contains("  ") && !text.contains(['\n', '\t', '\r']);
    if is_one && text.is_ascii() && text.trim().len() == text.len() {
        return text.into();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").into()
}

fn row(skill: Skill<'_>) -> Row<'_> {
    Row {
        descriptor: skill.descriptor,
        name: skill.descriptor.name(),
        source: skill.source,
        locations: Vec::new(),
        tokens: skill.descriptor.tokens(),
    }
}

/// The same with all of its locations, if there are several.
fn located<'c>(catalog: &'c Catalog, skill: Skill<'c>) -> Row<'c> {
    let mut row = row(skill);
    if catalog.has_copies() {
        row.locations = catalog.locations(skill.descriptor.id.as_str());
        if row.locations.len() < 2 {
            row.locations.clear();
        }
    }
    row
}

fn document(catalog: &Catalog, all: bool, nested: Vec<NestedSkill>) -> Document<'_> {
    let mut document = Document {
        nested,
        omitted: (catalog.omitted() > 0).then(|| OmittedRow {
            count: catalog.omitted(),
            setting: MAX_SKILLS,
        }),
        version: 1,
        skills: catalog
            .skills()
            .map(|skill| located(catalog, skill))
            .collect(),
        unavailable: Vec::new(),
        refused: Vec::new(),
        shadowed: Vec::new(),
        invalid: Vec::new(),
        sources: catalog.sources().collect(),
    };
    if all {
        document.unavailable = catalog.unavailable().map(row).collect();
        let refused = catalog.refused().map(|skill| RefusedRow {
            id: skill.descriptor.id.as_str(),
            source: skill.source,
            reason: RESERVED_ID,
        });
        document.refused = refused.collect();
        document.shadowed = catalog
            .shadowed()
            .map(|shadowed| ShadowedRow {
                id: shadowed.loser.descriptor.id.as_str(),
                source: shadowed.loser.source,
                path: shadowed.loser.path(),
                winner: shadowed.winner.source,
                winner_path: shadowed.winner.path(),
            })
            .collect();
        document.invalid = catalog
            .invalid()
            .map(|(source, invalid)| InvalidRow {
                path: &invalid.path,
                source,
                reasons: invalid.reasons().collect(),
            })
            .collect();
    }
    document
}

fn print_rest(catalog: &Catalog, nested: &[NestedSkill]) -> Result<()> {
    let mut out = String::new();
    for skill in nested {
        let (parent, directory) = (&skill.parent, terminal::printable(&skill.directory));
        let _ = writeln!(out, "nested: {directory} in {parent}, which it is part of");
    }
    for skill in catalog.unavailable() {
        let needs = skill.descriptor.requires_capabilities.join(", ");
        let _ = writeln!(out, "unavailable: {} needs {needs}", skill.descriptor.id);
    }
    for skill in catalog.refused() {
        let (id, source) = (&skill.descriptor.id, skill.source);
        let _ = writeln!(
            out,
            "refused: {id} of {source}: {RESERVED_ID}: a built-in skill has this id"
        );
    }
    for shadowed in catalog.shadowed() {
        let (loser, winner) = (shadowed.loser.path(), shadowed.winner.path());
        let _ = writeln!(out, "shadowed: {loser}, by {winner}");
    }
    for (source, invalid) in catalog.invalid() {
        let reason = invalid.reason();
        let _ = writeln!(out, "invalid: {source}/{}: {reason}", invalid.path);
    }
    Ok(terminal::print(&out)?)
}

fn summary(catalog: &Catalog) -> String {
    const NO_PLACE: &str =
        "no .agents/skills, .claude/skills or .prowess/skills in this directory or above";
    let is_builtin = |skill: &Skill<'_>| skill.descriptor.scope == Scope::Builtin;
    let builtin = catalog.skills().filter(is_builtin).count();
    let sources = catalog.sources().count() - usize::from(builtin > 0);
    if sources == 0 && builtin == 0 {
        return format!("no skills: {NO_PLACE}");
    }
    if sources == 0 {
        return format!("{builtin} built-in skills; {NO_PLACE}");
    }
    let plural = |count: usize, noun: &str| {
        let s = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{s}")
    };
    let mut parts = vec![format!(
        "{} in {}",
        plural(catalog.len(), "skill"),
        plural(sources, "place")
    )];
    let mut add = |count: usize, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    add(builtin, "built in");
    let untrusted = |source: &&SourceStatus| source.health == Health::Untrusted;
    let untrusted = catalog.sources().filter(untrusted).count();
    add(
        untrusted,
        if untrusted == 1 {
            "place not trusted"
        } else {
            "places not trusted"
        },
    );
    add(catalog.omitted(), &format!("omitted (`{MAX_SKILLS}`)"));
    add(
        catalog.refused().count(),
        "refused (see `prowess list --all`)",
    );
    add(catalog.shadowed().count(), "shadowed");
    add(catalog.unavailable().count(), "unavailable");
    add(
        catalog.invalid().count(),
        "invalid (see `prowess list --all`)",
    );
    parts.join(", ")
}
