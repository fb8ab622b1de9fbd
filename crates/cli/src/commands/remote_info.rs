//! `prowess info` of a package of a registry.

use std::fmt::Write as _;

use prowess_registry::wire::{AuditVerdict, FileDiffKind, PackageInfo, VersionDiff, VersionInfo};
use prowess_registry::{PackageReference, choose_version};
use semver::Version;
use serde_json::json;

use super::print_json;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::packages::report::PackageStates;
use crate::registries::{Registries, RemotePackage};
use crate::terminal;

/// Versions that are shown.
const SHOWN: usize = 20;

/// The package that a text names, whatever its owner; `None` for another text.
pub(super) fn parse(text: &str) -> Option<PackageReference> {
    let text = text.strip_prefix("registry:").unwrap_or(text);
    let found = PackageReference::parse_with(text, "", |_| true).ok()?;
    matches!(found, PackageReference::Registry { .. }).then_some(found)
}

/// Shows a package, and with `diff` what it would change in the installed version.
pub(super) fn run(
    package: &PackageReference,
    registries: &Registries,
    diff: bool,
    as_json: bool,
    global: &Global,
) -> Result<Exit> {
    let PackageReference::Registry {
        registry,
        name,
        versions,
    } = package
    else {
        return Err(CommandError::usage("expected the name of a package"));
    };
    let RemotePackage { client, info } = match registry {
        // The user typed this URL.
        Some(url) => registries.find_at(url, name)?,
        None => registries.find(name)?,
    };
    let version = match (
        choose_version(&info, versions.as_ref()),
        info.versions.first(),
    ) {
        (Ok(version), _) => version,
        // Of a package without a usable version, there is still something to say.
        (Err(_), Some(first)) if versions.is_none() => first,
        (Err(error), _) => return Err(error.into()),
    };
    let states = PackageStates::read(global);
    let installed = states.installed_version(client.url(), name);
    let difference = if diff {
        let installed = installed.with_context(|| format!("`{name}` is not installed"))?;
        let from = Version::parse(installed).ok();
        let from = from.with_context(|| format!("invalid version `{installed}`"))?;
        Some(client.diff(name, &from, &version.version)?)
    } else {
        None
    };
    if as_json {
        print_json(&json!({
            "version": 1,
            "registry": client.url().as_str(),
            "package": info,
            "chosen": version,
            "installed": installed,
            "diff": difference,
        }))?;
        return Ok(Exit::Success);
    }
    let mut out = rows(&info, version, client.url().as_str(), installed);
    out.push_str(&list(&info));
    if let Some(difference) = &difference {
        out.push_str(&changes(difference));
    }
    terminal::print(&out)?;
    Ok(Exit::Success)
}

fn rows(info: &PackageInfo, version: &VersionInfo, url: &str, installed: Option<&str>) -> String {
    let mut out = format!(
        "{} {}\n\n  {}\n\n",
        info.name,
        version.version,
        terminal::one_line(version.description.trim())
    );
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {name:<14}{}", terminal::one_line(value));
        }
    };
    row("registry", url);
    row("installed", installed.unwrap_or("no"));
    if let Some(yank) = &version.yanked {
        row("yanked", &format!("{} ({})", yank.reason, yank.at));
    }
    row("owners", &info.owners.join(", "));
    let published = format!("{} by {}", version.published_at, version.published_by);
    row("published", &published);
    let downloads = format!("{}, {} of this version", info.downloads, version.downloads);
    row("downloads", &downloads);
    row("digest", &version.digest);
    row(
        "size",
        &format!("{} bytes in {} files", version.size, version.files),
    );
    row(
        "signed by",
        version.signed_by.as_deref().unwrap_or("not signed"),
    );
    row("audit", verdict(version.verdict));
    for finding in &version.findings {
        row("finding", finding);
    }
    row("licence", version.licence.as_deref().unwrap_or_default());
    row("types", &version.types.join(" "));
    row("permissions", &version.permissions.join(" "));
    row("code", if version.has_code { "yes" } else { "no" });
    out
}

fn list(info: &PackageInfo) -> String {
    let mut out = String::from("\n  versions\n");
    for version in info.versions.iter().take(SHOWN) {
        let yanked = match &version.yanked {
            Some(yank) if yank.reason.is_empty() => "  yanked".to_owned(),
            Some(yank) => format!("  yanked: {}", yank.reason),
            None => String::new(),
        };
        let (number, date, downloads) =
            (&version.version, &version.published_at, version.downloads);
        let number = number.to_string();
        let line = format!("{number:<12} {date}  {downloads} downloads{yanked}");
        let _ = writeln!(out, "    {}", terminal::one_line(&line));
    }
    if info.versions.len() > SHOWN {
        let _ = writeln!(out, "    and {} more", info.versions.len() - SHOWN);
    }
    out
}

fn changes(diff: &VersionDiff) -> String {
    let from = diff
        .from
        .as_ref()
        .map_or("nothing".to_owned(), ToString::to_string);
    let mut out = format!("\n  from {from} to {}\n", diff.to);
    for permission in &diff.permissions_added {
        let _ = writeln!(out, "    wants also {}", terminal::one_line(permission));
    }
    for permission in &diff.permissions_removed {
        let _ = writeln!(
            out,
            "    no longer wants {}",
            terminal::one_line(permission)
        );
    }
    for file in &diff.files {
        let change = match file.change {
            FileDiffKind::Added => "added",
            FileDiffKind::Removed => "removed",
            FileDiffKind::Changed => "changed",
        };
        let _ = writeln!(out, "    {change:<8} {}", terminal::one_line(&file.path));
        for line in file.text.iter().flat_map(|it| it.lines()) {
            let _ = writeln!(out, "      {}", terminal::one_line(line));
        }
    }
    out
}

fn verdict(verdict: AuditVerdict) -> &'static str {
    match verdict {
        AuditVerdict::Dangerous => "dangerous",
        AuditVerdict::Suspicious => "suspicious",
        AuditVerdict::Unverified => "unverified: some code was not read",
        AuditVerdict::Clean => "nothing found",
    }
}
