//! The packages that a command has open.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use prowess_registry::{LockedSkill, Package, PackageReference, PackageTree, digest_of};
use prowess_spec::{SkillName, SkillPath};
use semver::VersionReq;

use super::apply::SourceSkill;
use super::session::Session;
use crate::error::{CommandError, Result};
use crate::progress::FetchProgress;

/// Packages that are open: the same repository is fetched once.
pub(super) struct Packages<'s> {
    session: &'s Session<'s>,
    /// Those that cannot be opened stay so: a server that is down is asked once.
    open: BTreeMap<String, Result<Package>>,
}

impl<'s> Packages<'s> {
    pub(super) fn new(session: &'s Session<'s>) -> Self {
        Self {
            session,
            open: BTreeMap::new(),
        }
    }

    /// The package of a reference, whatever the directory in it.
    pub(super) fn get(&mut self, reference: &PackageReference) -> Result<&Package> {
        let whole = reference.package();
        let opened = match self.open.entry(whole.to_string()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let progress = FetchProgress::new(self.session.global.quiet);
                let remote = self.session.remote(&progress);
                new.insert(self.session.open_package(&whole, &remote))
            }
        };
        opened.as_ref().map_err(Clone::clone)
    }

    /// Fetches the files of several skills with one request for each repository. A failure is reported when the files
    /// are asked for.
    pub(super) fn prepare(&mut self, references: impl IntoIterator<Item = PackageReference>) {
        let mut directories: BTreeMap<String, (PackageReference, Vec<Option<SkillPath>>)> =
            BTreeMap::new();
        for reference in references {
            if let PackageReference::Git(location) = &reference {
                let path = location.path.clone();
                let whole = reference.package();
                let known = directories.entry(whole.to_string());
                known.or_insert((whole, Vec::new())).1.push(path);
            }
        }
        for (reference, directories) in directories.values() {
            if let Ok(package) = self.get(reference) {
                let _ = package.prepare(directories.iter().map(Option::as_ref));
            }
        }
    }

    /// The files of a skill at its source, under the name that it has here; and the name that it has there.
    pub(super) fn tree(
        &mut self,
        name: &SkillName,
        reference: &PackageReference,
    ) -> Result<(PackageTree, SkillName)> {
        tree_of(self.get(reference)?, name, reference)
    }

    /// The files that the lock file means, and their name at the source; or an error.
    pub(super) fn locked(
        &mut self,
        name: &SkillName,
        locked: &LockedSkill,
    ) -> Result<(SourceSkill, SkillName)> {
        let (tree, own) = self.tree(name, &locked_reference(locked)?)?;
        let (expected, found) = (locked.source_digest(), digest_of(&tree.digests()));
        let skill = SourceSkill::of_lock(tree, locked).filter(|_| found == expected);
        let skill = skill.ok_or_else(|| {
            CommandError::failure(format!(
                "`{name}` from {} is not what the lock file says: expected {expected}, got {found}",
                locked.source
            ))
            .hint(
                "it was changed at its source or on the way; ask its authors before you update it",
            )
        })?;
        Ok((skill, own))
    }
}

/// The reference of exactly the version that the lock file has.
pub(super) fn locked_reference(locked: &LockedSkill) -> Result<PackageReference> {
    let mut reference: PackageReference = locked.source.parse()?;
    match (&mut reference, &locked.resolved) {
        (PackageReference::Git(location), Some(commit)) => {
            location.reference = Some(commit.clone());
        }
        (PackageReference::Registry { versions, .. }, Some(version)) => {
            let exact = VersionReq::parse(&format!("={version}"));
            let invalid = |_| {
                CommandError::failure(format!(
                    "invalid version `{}` in the lock file",
                    version.escape_debug()
                ))
            };
            *versions = Some(exact.map_err(invalid)?);
        }
        _ => {}
    }
    Ok(reference)
}

/// The files of a skill of a package, under the name that it has here; and the name that it has there.
pub(super) fn tree_of(
    package: &Package,
    name: &SkillName,
    reference: &PackageReference,
) -> Result<(PackageTree, SkillName)> {
    let (tree, _) = package.tree_at(reference)?;
    let own = tree.name().unwrap_or_else(|| name.clone());
    let tree = if own == *name {
        tree
    } else {
        tree.renamed(name)
    };
    Ok((tree, own))
}
