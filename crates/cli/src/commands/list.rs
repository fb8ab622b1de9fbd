//! `prowess list`.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use prowess_core::wire::{MAX_SKILLS, RESERVED_ID};
use prowess_core::{Catalog, Descriptor, Health, NestedSkill, Scope, Skill, SourceStatus};
use prowess_runtime::Manifests;
use prowess_spec::Severity;

use super::list_document::{Tokens, document};
use super::remote_list::available;
use crate::arguments::{Global, SourceArguments};
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::packages::report::{PackageState, PackageStates};
use crate::registries::RegistryArgument;
use crate::table::{Column, Width, render};
use crate::target::{self, PathKind};
use crate::terminal::print_json;
use crate::{configuration, model, open, terminal, trust};

const HELP: &str = "\
Examples:
  prowess list              list the skills of this project and user
  prowess list --all        include shadowed and invalid skills
  prowess list skills       list the skills below one directory
  prowess list pdf.skill    list the skills of an archive
  prowess list --available  list the packages of registries";

/// Arguments of `list`.
#[derive(Args)]
#[command(after_long_help = HELP)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct ListArguments {
    /// Skills, `SKILL.md` files, archives, or directories to search for skills; same as `--in`
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Exit with 1 if a source is unavailable, even if its cached data is used
    #[arg(long)]
    pub(crate) strict: bool,
    /// Include shadowed, unavailable and invalid skills
    #[arg(long)]
    pub(crate) all: bool,
    /// List the packages of registries instead
    #[arg(long, conflicts_with_all = ["paths", "directories", "all"])]
    pub(crate) available: bool,
    #[command(flatten)]
    pub(crate) registry: RegistryArgument,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &ListArguments, global: &Global) -> Result<Exit> {
    if arguments.available || arguments.registry.registry.is_some() {
        return available(&arguments.registry, arguments.json, global);
    }
    for path in &arguments.paths {
        let unreadable = || format!("cannot read {}", path.display());
        if target::kind(path).with_context(unreadable)? == PathKind::Other {
            let message = format!("{} is not a skill", path.display());
            return Err(CommandError::failure(message).hint(target::EXPECTED));
        }
    }
    let named = arguments.sources.directories.iter();
    let sources = SourceArguments {
        directories: named.chain(&arguments.paths).cloned().collect(),
        ..SourceArguments::default()
    };
    if !arguments.json {
        trust::ask(&sources, global)?;
    }
    let config = configuration::load(global)?;
    let window = model::configured_window(&config);
    let skills = open::skills_with(&config, window, &sources, global, |it| it)?;
    let catalog = skills.catalog();
    // Manifests are read only on request: most skills have none, and asking costs more than the list itself.
    let (nested, manifests) = if arguments.all {
        pollster::block_on(async { (skills.nested().await, Manifests::read(&skills).await) })
    } else {
        (Vec::new(), Manifests::default())
    };
    let packages = if sources.directories.is_empty() {
        PackageStates::note_waiting(global);
        PackageStates::read(global)
    } else {
        PackageStates::default()
    };
    if arguments.json {
        let document = document(&catalog, arguments.all, nested, &manifests, &packages);
        print_json(&document)?;
        return Ok(exit(&catalog, arguments.strict));
    }
    if !catalog.is_empty() {
        terminal::print(&table(catalog.skills(), Some(&packages)))?;
    }
    if arguments.all {
        print_rest(&catalog, &nested, &manifests)?;
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
                terminal::note(&terminal::one_line(&note));
            }
            for warning in &source.warnings {
                terminal::note(&format!("warning: {}", terminal::one_line(warning)));
            }
        }
        for clash in catalog.clashes() {
            terminal::note(&terminal::one_line(&format!("note: {clash}")));
        }
        // Why there are none was printed before.
        if config.skills.enabled || !sources.directories.is_empty() {
            terminal::note(&summary(&catalog));
        }
        trust::hint(&catalog);
    }
    Ok(exit(&catalog, arguments.strict))
}

fn exit(catalog: &Catalog, strict: bool) -> Exit {
    if strict && catalog.sources().any(is_unavailable) {
        Exit::Failure
    } else {
        Exit::Success
    }
}

/// Whether the present state of a source is unknown.
pub(super) fn is_unavailable(source: &SourceStatus) -> bool {
    matches!(source.health, Health::Unhealthy | Health::Degraded)
}

pub(super) fn table<'c>(
    skills: impl Iterator<Item = Skill<'c>>,
    packages: Option<&PackageStates>,
) -> String {
    let packages = packages.filter(|it| !it.is_empty());
    let mut columns = vec![
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
    if packages.is_some() {
        columns.extend(["VERSION", "STATE"].map(|title| Column {
            title,
            width: Width::Content,
        }));
    }
    let rows: Vec<Vec<Cow<'_, str>>> = skills
        .map(|skill| {
            let descriptor = skill.descriptor;
            let mut row: Vec<Cow<'_, str>> = vec![
                descriptor.id.as_str().into(),
                one_line(&descriptor.description),
                match Tokens::of(descriptor).instructions {
                    Some(tokens) => tokens.to_string().into(),
                    None => "?".into(),
                },
                (&**skill.source).into(),
            ];
            if let Some(packages) = packages {
                let state = packages.of(descriptor.scope, descriptor.name());
                row.push(version(descriptor, state.as_ref()).into());
                row.push(state.map_or("-", |it| it.as_str()).into());
            }
            row
        })
        .collect();
    render(&columns, &rows)
}

/// The version that the author states, or else the commit.
fn version(descriptor: &Descriptor, state: Option<&PackageState>) -> String {
    let stated = descriptor.metadata.iter();
    let mut stated = stated.filter(|(key, _)| &**key == "version");
    match (stated.next(), state) {
        (Some((_, version)), _) => version.to_string(),
        (None, Some(PackageState::Installed { resolved, .. })) => {
            let commit = resolved.as_deref().unwrap_or("-");
            commit.chars().take(10).collect()
        }
        _ => "-".to_owned(),
    }
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

fn print_rest(catalog: &Catalog, nested: &[NestedSkill], manifests: &Manifests) -> Result<()> {
    let mut out = String::new();
    for skill in nested {
        let (parent, directory) = (&skill.parent, terminal::printable(&skill.directory));
        let _ = writeln!(out, "nested: {directory} in {parent}, which it is part of");
    }
    for skill in catalog.unavailable() {
        let needs = skill.descriptor.requires_capabilities.join(", ");
        let _ = writeln!(out, "unavailable: {} needs {needs}", skill.descriptor.id);
    }
    for skill in catalog.disabled() {
        let (id, source) = (&skill.descriptor.id, skill.source);
        let _ = writeln!(out, "disabled: {id} of {source}, by `skills.disabled`");
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
    for problem in manifests.problems() {
        let (id, reason) = (&problem.id, terminal::printable(&problem.reason));
        let _ = match problem.severity {
            Severity::Error => {
                writeln!(out, "error: the code of {id} cannot be activated: {reason}")
            }
            Severity::Warning => writeln!(out, "warning: {id}: {reason}"),
        };
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
    add(catalog.disabled().count(), "disabled");
    add(
        catalog.invalid().count(),
        "invalid (see `prowess list --all`)",
    );
    parts.join(", ")
}
