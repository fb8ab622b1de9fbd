//! A lock file comes with a project, so its sources are a stranger's words: the user sees them before the first request.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use prowess_config::GitLocation;
use prowess_registry::{LockedSkill, PackageReference};
use prowess_trust::{Decision, Reach, ReachList};

use super::session::Session;
use crate::error::{CommandError, Context, Result};
use crate::{environment, pages, terminal};

/// What fetching from a source reaches outside of the project.
pub(super) fn reach(reference: &PackageReference, root: &Path) -> Option<Reach> {
    let path = |path: &Path| {
        let joined = root.join(path);
        let real = std::fs::canonicalize(&joined).unwrap_or(joined);
        let own = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let outside = !real.starts_with(own);
        outside.then(|| Reach::Path {
            path: real.display().to_string(),
        })
    };
    let host = |url: &str| {
        let (protocol, address) = url.split_once("://").unwrap_or(("git", url));
        Some(Reach::Host {
            protocol: protocol.to_owned(),
            address: address.to_owned(),
        })
    };
    match reference {
        PackageReference::Directory(directory) => path(directory),
        PackageReference::Archive(file, _) => path(file),
        PackageReference::ArchiveUrl(url) | PackageReference::Index(url) => {
            let mut url = url.clone();
            url.set_fragment(None);
            host(url.as_str())
        }
        PackageReference::Git(place) => match &place.repository {
            GitLocation::Local(local) => path(local),
            server => host(&server.expose()),
        },
        // Another range of the same package is the same source.
        PackageReference::Registry { registry, name, .. } => {
            let package = PackageReference::Registry {
                registry: registry.clone(),
                name: name.clone(),
                versions: None,
            };
            match registry {
                Some(_) => host(&package.to_string()),
                None => host(&format!("registry://{name}")),
            }
        }
    }
}

/// Remembers that the user named this source here.
pub(super) fn trust(session: &Session<'_>, reference: &PackageReference) -> Result<()> {
    let Some(root) = session.place.within() else {
        return Ok(());
    };
    let Some(reach) = reach(reference, root) else {
        return Ok(());
    };
    store(root, [reach])
}

fn store(root: &Path, reaches: impl IntoIterator<Item = Reach>) -> Result<()> {
    let records = environment::trust_records().context("cannot find your data directory")?;
    let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    for reach in reaches {
        let list: ReachList = [reach].into_iter().collect();
        if records.decision(&real, &list) != Some(Decision::Trusted) {
            records.store(&real, &list, Decision::Trusted)?;
        }
    }
    Ok(())
}

/// Asks about the sources of these skills that the user has not named or accepted here.
pub(super) fn ask(session: &Session<'_>, skills: &[&LockedSkill], yes: bool) -> Result<()> {
    // The lock file of the user is the user's own.
    let Some(root) = session.place.within() else {
        return Ok(());
    };
    let records = environment::trust_records().context("cannot find your data directory")?;
    let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let mut unknown = BTreeSet::new();
    for skill in skills {
        let reference: PackageReference = skill.source.parse()?;
        let Some(reach) = reach(&reference, root) else {
            continue;
        };
        let list: ReachList = [reach.clone()].into_iter().collect();
        if records.decision(&real, &list) != Some(Decision::Trusted) {
            unknown.insert(reach);
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let mut text =
        "prowess.lock names sources that you have not used in this project:\n".to_owned();
    for reach in &unknown {
        let _ = writeln!(text, "  {reach}");
    }
    if yes || !terminal::can_ask() {
        terminal::note(terminal::printable(&text).trim_end());
    }
    if !yes && !terminal::can_ask() {
        return Err(CommandError::permission("nothing was fetched")
            .hint("review the list, then add `--yes`"));
    }
    if !yes && !pages::confirm(&text, "fetch from these sources?")? {
        return Err(CommandError::permission("nothing was fetched"));
    }
    store(root, unknown)
}
