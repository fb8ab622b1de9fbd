//! Which version of a package is meant.

use semver::{Op, Version, VersionReq};

use crate::client::RegistryError;
use crate::wire::{PackageInfo, VersionInfo};

/// Versions that an error lists.
const LISTED: usize = 5;

/// Whether a range is one exact version, which may be yanked.
pub fn is_exact(versions: &VersionReq) -> bool {
    matches!(
        versions.comparators.as_slice(),
        [one] if one.op == Op::Exact && one.minor.is_some() && one.patch.is_some()
    )
}

/// The version of a package that is meant: the highest one in the range that is not yanked, or exactly the one that the
/// range names. Without a range, the highest release, or else the highest pre-release.
pub fn choose_version<'p>(
    package: &'p PackageInfo,
    versions: Option<&VersionReq>,
) -> Result<&'p VersionInfo, RegistryError> {
    let usable = package.versions.iter().filter(|it| it.yanked.is_none());
    let highest = |found: &mut dyn Iterator<Item = &'p VersionInfo>| {
        found.max_by(|a, b| a.version.cmp(&b.version))
    };
    let found = match versions {
        Some(versions) if is_exact(versions) => {
            let matching = |it: &&VersionInfo| versions.matches(&it.version);
            highest(&mut package.versions.iter().filter(matching))
        }
        Some(versions) => highest(&mut usable.filter(|it| versions.matches(&it.version))),
        None => highest(&mut usable.clone().filter(|it| it.version.pre.is_empty()))
            .or_else(|| highest(&mut usable.clone())),
    };
    found.ok_or_else(|| RegistryError::NoVersion {
        name: package.name.clone(),
        wanted: versions.map_or("any release".to_owned(), ToString::to_string),
        has: available(package),
    })
}

fn available(package: &PackageInfo) -> String {
    let usable = package.versions.iter().filter(|it| it.yanked.is_none());
    let mut versions: Vec<&Version> = usable.map(|it| &it.version).collect();
    versions.sort_unstable_by(|a, b| b.cmp(a));
    let yanked = package.versions.len() - versions.len();
    let listed = versions.iter().take(LISTED).map(ToString::to_string);
    let listed = listed.collect::<Vec<_>>().join(", ");
    match (versions.len(), yanked) {
        (0, 0) => "it has no versions".to_owned(),
        (0, count) => format!("{count} versions are yanked"),
        (count, _) if count > LISTED => format!("the latest of {count} versions are {listed}"),
        _ => format!("it has {listed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AuditVerdict, Yank};

    /// A package with these versions; `!` marks a yanked one.
    fn package(versions: &[&str]) -> PackageInfo {
        let version = |text: &&str| VersionInfo {
            version: text.trim_end_matches('!').parse().unwrap(),
            description: String::new(),
            digest: String::new(),
            size: 0,
            files: 0,
            published_at: String::new(),
            published_by: String::new(),
            types: Vec::new(),
            permissions: Vec::new(),
            licence: None,
            has_code: false,
            verdict: AuditVerdict::Clean,
            findings: Vec::new(),
            signed_by: None,
            yanked: text.ends_with('!').then(|| Yank {
                reason: "leaks".to_owned(),
                at: String::new(),
            }),
            downloads: 0,
        };
        PackageInfo {
            name: "pdf".parse().unwrap(),
            description: String::new(),
            latest: None,
            owners: Vec::new(),
            downloads: 0,
            versions: versions.iter().map(version).collect(),
        }
    }

    #[test]
    fn rg9_ranges_choose_the_highest_version_that_is_not_yanked() {
        let all = ["3.0.0-rc.1", "2.5.0", "1.9.0!", "1.5.2", "1.5.0", "1.0.0"];
        for (versions, range, expected) in [
            (&all[..], "", Some("2.5.0")),
            (&all, "^1.0.0", Some("1.5.2")),
            (&all, "~1.5.0", Some("1.5.2")),
            (&all, ">=1.5, <3", Some("2.5.0")),
            (&all, "=1.9.0", Some("1.9.0")),
            (&all, ">=1.9, <2", None),
            (&all, "^3", None),
            (&all, ">=3.0.0-rc.0", Some("3.0.0-rc.1")),
            (&all, "=3.0.0-rc.1", Some("3.0.0-rc.1")),
            (&all, "*", Some("2.5.0")),
            (&["1.0.0-a", "1.0.0-b"], "", Some("1.0.0-b")),
            (&["1.10.0", "1.9.0"], "", Some("1.10.0")),
            (&["1.0.0!"], "", None),
            (&[], "", None),
        ] {
            let package = package(versions);
            let parsed = (!range.is_empty()).then(|| range.parse().unwrap());
            let found = choose_version(&package, parsed.as_ref()).ok();
            let found = found.map(|it| it.version.to_string());
            assert_eq!(found.as_deref(), expected, "{range} of {versions:?}");
        }
    }
}
