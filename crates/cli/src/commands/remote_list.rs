//! Packages of registries: the results of `search`, and `list --available`.

use clap::{Args, ValueEnum};
use prowess_registry::wire::{AuditVerdict, FoundPackage, SearchFilter};
use prowess_registry::{Registry, RegistryClient};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::print_json;
use crate::arguments::Global;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::packages::report::PackageStates;
use crate::registries::{Registries, RegistryArgument};
use crate::table::{Column, Width, render};
use crate::{configuration, terminal};

/// Packages of one request.
const PAGE: usize = 100;
/// Packages that are listed of one registry.
const LISTED: usize = 10_000;

/// Which packages of registries are listed.
#[derive(Args, Default)]
pub(crate) struct FilterArguments {
    /// Only packages that want this permission, such as `net:fetch`
    #[arg(long, value_name = "PERMISSION")]
    permission: Option<String>,
    /// Only packages of this type, such as `tool`
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only packages with this licence
    #[arg(long, value_name = "LICENCE")]
    licence: Option<String>,
    /// Only packages with code
    #[arg(long, conflicts_with = "no_code")]
    code: bool,
    /// Only packages without code
    #[arg(long)]
    no_code: bool,
    /// Only packages with this result of `audit`
    #[arg(long, value_enum)]
    verdict: Option<VerdictName>,
    /// Only packages of this owner
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
}

/// A verdict, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum VerdictName {
    /// All was read, and nothing was found
    #[value(alias = "nothing-found")]
    Clean,
    /// Some code was not read
    Unverified,
    /// Something needs a look
    #[value(alias = "findings")]
    Suspicious,
    /// Something harms
    Dangerous,
}

impl FilterArguments {
    pub(super) fn filter(&self) -> SearchFilter {
        SearchFilter {
            permission: self.permission.clone(),
            kind: self.kind.clone(),
            licence: self.licence.clone(),
            code: match (self.code, self.no_code) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            },
            verdict: self.verdict.map(|it| match it {
                VerdictName::Clean => AuditVerdict::Clean,
                VerdictName::Unverified => AuditVerdict::Unverified,
                VerdictName::Suspicious => AuditVerdict::Suspicious,
                VerdictName::Dangerous => AuditVerdict::Dangerous,
            }),
            owner: self.owner.clone(),
        }
    }
}

/// A package of a registry, for people and programs.
#[derive(Serialize)]
pub(super) struct Row {
    registry: String,
    #[serde(flatten)]
    package: FoundPackage,
    /// The version that is installed.
    installed: Option<String>,
}

/// The results of all registries; one that fails is a warning.
pub(super) fn search(
    registries: &Registries,
    query: &str,
    filter: &SearchFilter,
    limit: usize,
    global: &Global,
) -> Vec<Row> {
    let answers = ask(registries, |client| {
        let page = client.search(query, filter, limit, 0)?;
        Ok(page.packages)
    });
    let mut rows = rows(answers, global).0;
    // Scores of two registries cannot be compared; the order of the configuration can.
    rows.truncate(limit);
    rows
}

/// `list --available`
pub(super) fn available(
    registry: &RegistryArgument,
    as_json: bool,
    global: &Global,
) -> Result<Exit> {
    let config = configuration::load(global)?;
    let registries = Registries::new(&config, global).limited(registry)?;
    if registries.is_empty() {
        return Err(CommandError::failure("no registry is configured")
            .hint("run `prowess login URL`, or set `[registry] url` in your prowess.toml"));
    }
    let (mut rows, failed) = rows(ask(&registries, every_package), global);
    rows.sort_by(|a, b| a.package.name.cmp(&b.package.name));
    if as_json {
        print_json(&json!({"version": 1, "packages": rows}))?;
    } else if rows.is_empty() {
        if !global.quiet && !failed {
            terminal::note("the registries have no packages");
        }
    } else {
        terminal::print(&table(&rows))?;
        if !global.quiet {
            terminal::note(&format!("{} packages", rows.len()));
        }
    }
    Ok(if failed { Exit::Failure } else { Exit::Success })
}

/// All packages of a registry, page by page.
fn every_package(client: &RegistryClient) -> Result<Vec<FoundPackage>> {
    let mut packages = Vec::new();
    while packages.len() < LISTED {
        let page = client.search("", &SearchFilter::default(), PAGE, packages.len())?;
        let is_last = page.packages.is_empty();
        packages.extend(page.packages);
        if is_last || packages.len() >= page.total {
            break;
        }
    }
    Ok(packages)
}

type Answers<'r> = Vec<(&'r Registry, Result<(RegistryClient, Vec<FoundPackage>)>)>;

/// Asks all registries at the same time.
fn ask(
    registries: &Registries,
    work: impl Fn(&RegistryClient) -> Result<Vec<FoundPackage>> + Sync,
) -> Answers<'_> {
    let all = registries.all();
    all.into_par_iter()
        .map(|registry| {
            let answer = registries.client(registry).and_then(|client| {
                let packages = work(&client)?;
                Ok((client, packages))
            });
            (registry, answer)
        })
        .collect()
}

/// The rows of all answers, and whether a registry failed.
fn rows(answers: Answers<'_>, global: &Global) -> (Vec<Row>, bool) {
    let states = PackageStates::read(global);
    let mut rows = Vec::new();
    let mut failed = false;
    for (registry, answer) in answers {
        match answer {
            Ok((client, packages)) => rows.extend(packages.into_iter().map(|package| {
                let installed = states.installed_version(client.url(), &package.name);
                Row {
                    registry: registry.name.clone(),
                    installed: installed.map(str::to_owned),
                    package,
                }
            })),
            Err(error) => {
                failed = true;
                if !global.quiet {
                    let note = format!("warning: registry {}: {error}", registry.name);
                    terminal::note(&terminal::one_line(&note));
                }
            }
        }
    }
    (rows, failed)
}

pub(super) fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let column = |title| Column {
        title,
        width: if title == "DESCRIPTION" {
            Width::Rest
        } else {
            Width::Content
        },
    };
    let columns = [
        "PACKAGE",
        "VERSION",
        "DESCRIPTION",
        "DOWNLOADS",
        "REGISTRY",
        "STATE",
    ]
    .map(column);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let words: Vec<&str> = row.package.description.split_whitespace().collect();
            let latest = row.package.version.to_string();
            let state = match &row.installed {
                None => "-".to_owned(),
                Some(version) if *version == latest => "installed".to_owned(),
                Some(version) => format!("installed {version}"),
            };
            vec![
                row.package.name.to_string(),
                latest,
                words.join(" "),
                row.package.downloads.to_string(),
                row.registry.clone(),
                state,
            ]
        })
        .collect();
    render(&columns, &cells)
}
