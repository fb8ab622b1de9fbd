//! What a newer version of an installed skill would change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use prowess_registry::{
    ChangeKind, FileChange, Fingerprint, InstallableTree, LockedSkill, Merge, PackageReference,
    PackageTree, merge,
};
use prowess_spec::{SkillName, SkillPath};

use super::apply::SourceSkill;
use super::edited_base;
use super::installed::{BaseOrigin, DiskState, Edits, SeenSkill};
use super::news::{self, News};
use super::open_packages::Packages;
use super::session::Session;
use super::signatures::SignatureRules;
use super::update::UpdateArguments;
use crate::error::{Context, Result};

/// What is found at the source of a skill.
pub(super) enum Look {
    UpToDate,
    /// The same files at another commit.
    Moved(LockedSkill),
    Newer(Box<Newer>),
}

/// A version that differs from the installed one.
pub(super) struct Newer {
    /// The files on disk afterwards; with markers where there is a conflict.
    pub(super) tree: InstallableTree,
    /// The files on disk now.
    pub(super) current: InstallableTree,
    /// What the name of the skill held before its files were read.
    pub(super) seen: Fingerprint,
    /// The new version.
    pub(super) new: InstallableTree,
    pub(super) locked: LockedSkill,
    /// Files of a plugin in the new version, which are not installed.
    pub(super) left_out: Vec<SkillPath>,
    /// The files that keep an edit.
    pub(super) edited: Vec<String>,
    /// The merge, if it has conflicts.
    pub(super) conflicts: Option<Merge>,
    pub(super) news: News,
}

impl Newer {
    /// The files of a source in place of those that are there.
    fn whole(skill: SourceSkill, seen: Fingerprint, news: News) -> Self {
        Self {
            tree: skill.tree.clone(),
            current: InstallableTree::default(),
            seen,
            new: skill.tree,
            locked: skill.locked,
            left_out: skill.left_out,
            edited: Vec::new(),
            conflicts: None,
            news,
        }
    }

    /// The files with a conflict, for people.
    pub(super) fn conflicting_files(&self) -> String {
        let conflicts = self.conflicts.iter().flat_map(|merge| &merge.conflicts);
        let files: Vec<String> = conflicts.map(ToString::to_string).collect();
        files.join(", ")
    }
}

/// The places where a newer version is looked for.
pub(super) struct Sources<'s, 'p> {
    pub(super) session: &'s Session<'s>,
    pub(super) packages: &'p mut Packages<'s>,
    pub(super) signatures: SignatureRules,
}

impl Sources<'_, '_> {
    /// What a newer version of a skill would change, which is on disk as it was seen.
    pub(super) fn look(
        &mut self,
        arguments: &UpdateArguments,
        name: &SkillName,
        before: &LockedSkill,
        on_disk: SeenSkill,
    ) -> Result<Look> {
        let reference: PackageReference = before.source.parse()?;
        let (new, own) = self.packages.tree(name, &reference)?;
        let package = self.packages.get(&reference)?;
        let signature = self
            .signatures
            .check(package, &reference, &own, Some(before))?;
        let resolved = package.resolved_at(&reference);
        let mut skill = SourceSkill::new(before.source.clone(), resolved, new);
        skill.locked.signed_by = signature.key();
        arguments.downgrade.check(name, before, &skill.locked)?;
        let SeenSkill { seen, state } = on_disk;
        let state = if arguments.ours || arguments.theirs {
            state
        } else {
            edited_base::resolve(self.session, name, before, state)?
        };
        let is_current = match &state {
            DiskState::Unchanged => true,
            DiskState::Edited(edits) => edits.base.digest == before.digest,
            DiskState::Older | DiskState::Missing => false,
        };
        let after = &skill.locked;
        let is_same =
            after.digest == before.digest && after.source_digest() == before.source_digest();
        if is_same && is_current {
            let discards = arguments.theirs && matches!(state, DiskState::Edited(_));
            return Ok(if discards {
                Look::Newer(Box::new(Newer::whole(skill, seen, News::default())))
            } else if after == before {
                Look::UpToDate
            } else {
                Look::Moved(skill.locked)
            });
        }
        let mut news = news::since(package.commit(), &reference, before);
        let path = self.session.place.skills().join(name.as_str());
        let installed = match &state {
            DiskState::Edited(edits) => &edits.base,
            _ => before,
        };
        let stored = self.session.store.get(installed.digest);
        let mut base: Option<InstallableTree> = stored.map(Into::into);
        if base.is_none() {
            let fetched = self.packages.locked(name, installed);
            base = fetched.ok().map(|(skill, _)| skill.tree);
        }
        let edits = match state {
            DiskState::Edited(edits) => edits,
            DiskState::Unchanged => changed_bits(&path, before, base.as_ref()),
            DiskState::Older | DiskState::Missing => unedited(before),
        };
        news.add_changelog(
            base.as_ref().map(InstallableTree::files),
            skill.tree.files(),
        );
        let mut newer = Newer::whole(skill, seen, news);
        if edits.changes.is_empty() {
            newer.current = base.unwrap_or_default();
            return Ok(Look::Newer(Box::new(newer)));
        }
        let (ours, _) = PackageTree::read_directory(&path)?;
        newer.current = ours.into();
        let (ours, new) = (newer.current.files(), newer.new.files());
        if !arguments.force {
            edits.refuse_foreign(name, ours)?;
        }
        if arguments.ours {
            newer.tree = keep_edits(&edits.changes, ours, new)?.into();
            newer.edited = edits.changes.into_iter().map(|it| it.path).collect();
        } else if !arguments.theirs {
            let base = base.with_context(|| {
                "the installed version is not available for a merge; pass `--ours` or `--theirs`"
            })?;
            let merged = merge(base.files(), ours, new)?;
            newer.tree = merged.tree.clone().into();
            newer.edited = merged.edited.iter().map(ToString::to_string).collect();
            newer.conflicts = Some(merged).filter(|merged| !merged.conflicts.is_empty());
        }
        Ok(Look::Newer(Box::new(newer)))
    }
}

fn unedited(locked: &LockedSkill) -> Edits {
    Edits {
        base: locked.clone(),
        changes: Vec::new(),
        origin: BaseOrigin::Applied,
    }
}

/// Executable bits that were changed by hand are edits; the lock file knows nothing of them, the stored version does.
fn changed_bits(directory: &Path, locked: &LockedSkill, base: Option<&InstallableTree>) -> Edits {
    let files = base.into_iter().flat_map(|base| base.files().files());
    let is_changed = |path: &SkillPath, executable: bool| {
        let found = fs::symlink_metadata(directory.join(path.as_str()));
        found.is_ok_and(|found| (found.permissions().mode() & 0o111 != 0) != executable)
    };
    let files = files.filter(|(path, file)| is_changed(path, file.executable));
    let changes = files.map(|(path, _)| FileChange {
        path: path.to_string(),
        change: ChangeKind::Changed,
    });
    Edits {
        changes: changes.collect(),
        ..unedited(locked)
    }
}

/// The new version with the edited files of the old one.
fn keep_edits(edits: &[FileChange], ours: &PackageTree, new: &PackageTree) -> Result<PackageTree> {
    let is_edited = |path: &str| edits.iter().any(|it| it.path == path);
    let own = ours.files().filter(|(path, _)| is_edited(path.as_str()));
    let rest = new.files().filter(|(path, _)| !is_edited(path.as_str()));
    let files = own.chain(rest);
    let files = files.map(|(path, file)| (path.clone(), file.clone()));
    Ok(PackageTree::new(files)?)
}
