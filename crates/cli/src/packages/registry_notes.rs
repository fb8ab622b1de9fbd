//! What a registry knows about a package, beside what we find ourselves.

use prowess_registry::wire::{AuditVerdict, FoundPackage, PackageInfo, SearchFilter};
use prowess_registry::{
    LockFile, LockedSkill, Package, PackageName, PackageReference, is_similar, similar_packages,
};

use super::session::Session;

/// Packages that are compared with a name.
const COMPARED: usize = 20;

/// What the user should know before a package of a registry is installed: its audit there, a yank, names that look alike.
pub(super) fn registry_notes(
    session: &Session<'_>,
    lock: &LockFile,
    package: &Package,
    reference: &PackageReference,
) -> Vec<String> {
    let (
        Some(version),
        PackageReference::Registry {
            registry: Some(url),
            name,
            ..
        },
    ) = (package.version_info(), reference)
    else {
        return Vec::new();
    };
    let mut notes = vec![format!(
        "audit of the registry: {}",
        verdict(version.verdict)
    )];
    let number = &version.version;
    if let Some(yank) = &version.yanked {
        notes.push(format!(
            "warning: {number} is {}",
            yanked_text(&yank.reason)
        ));
    }
    let own = name.skill().as_str();
    let installed = lock.skills.keys().filter(|it| is_similar(own, it.as_str()));
    notes.extend(
        installed
            .map(|it| format!("warning: the name looks like that of the installed skill `{it}`")),
    );
    // A courtesy: without an answer, the package can be installed all the same.
    if let Ok(found) = session.registries.find_at(url, name) {
        let page = found
            .client
            .search(own, &SearchFilter::default(), COMPARED, 0);
        let others = page.map(|it| it.packages).unwrap_or_default();
        notes.extend(more_popular(name, found.info.downloads, &others));
    }
    notes
}

/// Packages that are used more and have a name that looks alike.
fn more_popular(name: &PackageName, downloads: u64, others: &[FoundPackage]) -> Vec<String> {
    let popular = others.iter().filter(|it| it.downloads > downloads);
    let popular: Vec<&FoundPackage> = popular.collect();
    let similar = similar_packages(name, popular.iter().map(|it| &it.name));
    let similar = popular.iter().filter(|it| similar.contains(&&it.name));
    similar
        .map(|it| {
            let (other, more) = (&it.name, it.downloads);
            format!(
                "warning: the name looks like `{other}`, which has {more} downloads; this one has {downloads}"
            )
        })
        .collect()
}

/// Why the version of a lock file must not be used any more, if it is yanked.
pub(super) fn yanked(info: &PackageInfo, locked: &LockedSkill) -> Option<String> {
    let resolved = locked.resolved.as_deref()?;
    let mut versions = info.versions.iter();
    let version = versions.find(|it| it.version.to_string() == resolved)?;
    let yank = version.yanked.as_ref()?;
    Some(yanked_text(&yank.reason))
}

/// The same from what is known without asking a server that the user has not named.
pub(super) fn yanked_in(session: &Session<'_>, locked: &LockedSkill) -> Option<String> {
    match locked.source.parse().ok()? {
        PackageReference::Registry {
            registry: Some(url),
            name,
            ..
        } => yanked(&session.registries.known_about(&url, &name)?, locked),
        _ => None,
    }
}

fn yanked_text(reason: &str) -> String {
    match reason.trim() {
        "" => "yanked".to_owned(),
        reason => format!("yanked: {reason}"),
    }
}

fn verdict(verdict: AuditVerdict) -> &'static str {
    match verdict {
        AuditVerdict::Dangerous => "dangerous",
        AuditVerdict::Suspicious => "suspicious",
        AuditVerdict::Unverified => "unverified: some code was not read",
        AuditVerdict::Clean => "nothing found",
    }
}
