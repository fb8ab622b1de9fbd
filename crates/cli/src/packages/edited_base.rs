//! Which version of a skill was edited, where no note says it.

use std::cmp::Ordering;

use prowess_registry::{LockedSkill, PackageTree, compare, differing_lines, digest_of};
use prowess_spec::SkillName;

use super::installed::{BaseOrigin, DiskState, Edits};
use super::session::Session;
use crate::error::{CommandError, Result};
use crate::{pages, terminal};

/// Compares an edited skill with every version of it that this machine has: the one with the fewest differing lines was
/// edited. Where two are as near, the user is asked.
pub(super) fn resolve(
    session: &Session<'_>,
    name: &SkillName,
    locked: &LockedSkill,
    state: DiskState,
) -> Result<DiskState> {
    let edits = match state {
        DiskState::Edited(edits) if edits.origin == BaseOrigin::Assumed => edits,
        known => return Ok(known),
    };
    let stored = session.store.versions_of(name);
    let digest = |tree: &PackageTree| digest_of(&tree.digests());
    let path = session.place.skills().join(name.as_str());
    let (ours, _) = PackageTree::read_directory(&path)?;
    let others = stored.iter().filter(|tree| digest(tree) != locked.digest);
    let nearest = others
        .map(|tree| (differing_lines(tree, &ours), tree))
        .min_by_key(|(lines, _)| *lines);
    let Some((lines, other)) = nearest else {
        return Ok(DiskState::Edited(edits));
    };
    let known = stored.iter().find(|tree| digest(tree) == locked.digest);
    let is_of_lock_file = if let Some(base) = known {
        match differing_lines(base, &ours).cmp(&lines) {
            Ordering::Less => true,
            Ordering::Equal => ask(name, locked, other)?,
            Ordering::Greater => false,
        }
    } else {
        // What was applied here is stored, and this version is not: only files can be compared.
        let of_other = compare(&path, &other.digests())?.unwrap_or_default();
        edits.changes.len() < of_other.len()
    };
    if is_of_lock_file {
        return Ok(DiskState::Edited(edits));
    }
    let files = other.digests();
    let base = LockedSkill {
        digest: digest_of(&files),
        source_digest: None,
        files,
        resolved: None,
        ..locked.clone()
    };
    let changes = compare(&path, &base.files)?.unwrap_or_default();
    if changes.is_empty() {
        return Ok(DiskState::Older);
    }
    Ok(DiskState::Edited(Edits {
        base,
        changes,
        origin: BaseOrigin::Applied,
    }))
}

/// Asks whether the version of the lock file was edited, where another one is as near.
fn ask(name: &SkillName, locked: &LockedSkill, other: &PackageTree) -> Result<bool> {
    if !terminal::can_ask() {
        return Err(CommandError::failure(format!(
            "cannot tell which version of `{name}` was edited here"
        ))
        .hint(format!(
            "run `prowess update {name}` with `--ours` to keep the edited files, or with `--theirs` to discard edits"
        )));
    }
    let version = |version: Option<String>| version.unwrap_or_else(|| "another version".to_owned());
    let text = format!(
        "`{name}` was edited, and nothing says whether it was the version of prowess.lock ({}) or an earlier one ({})\n",
        version(locked.resolved.clone()),
        version(other.version()),
    );
    let question = "was the version of prowess.lock edited?";
    Ok(pages::confirm(&terminal::printable(&text), question)?)
}
