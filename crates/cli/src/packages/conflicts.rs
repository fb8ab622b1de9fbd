//! Merges with conflicts: the user resolves them in a copy, and nothing else changes until then.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use prowess_policy::ContentDigest;
use prowess_registry::{
    Content, Fingerprint, InstallableTree, LockFile, LockedSkill, Merge, PackageTree, has_markers,
};
use prowess_sources::beneath::{Missing, open_real};
use prowess_spec::{SkillName, SkillPath};
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::apply::{Changes, Installation, left_out_notes, seen_at, seen_lock};
use super::consent::{Examiner, GivenConsent};
use super::interrupted::until_unchanged;
use super::session::Session;
use crate::error::{CommandError, Context, Result};
use crate::{configuration, terminal};

/// What a merge is about. It is stored with the user, by the transaction that writes the merged files: a project cannot
/// state what a skill consists of.
#[derive(Serialize, Deserialize)]
struct PendingMerge {
    /// The new version, as a lock file.
    new: String,
    /// The digest that the lock file of the place had.
    locked: String,
    /// The edited files that were merged.
    ours: Fingerprint,
    /// The merged files, as they were written.
    merged: Fingerprint,
    /// The files with a conflict, and the digest that each was written with.
    conflicts: BTreeMap<String, String>,
}

/// A merge with conflicts that is to be written.
pub(super) struct Conflict<'c> {
    pub(super) name: &'c SkillName,
    pub(super) merge: &'c Merge,
    /// The new version.
    pub(super) new: &'c LockedSkill,
    /// The version of the lock file.
    pub(super) locked: &'c LockedSkill,
    /// The edited files that were merged.
    pub(super) ours: &'c Fingerprint,
}

fn directory(session: &Session<'_>) -> PathBuf {
    session.place.root().join(".agents/merge")
}

/// The directory and the name of the record of a merge.
fn record(session: &Session<'_>, name: &SkillName) -> (PathBuf, String) {
    let root = session.place.skills();
    let root = fs::canonicalize(&root).unwrap_or(root);
    let file = prowess_net::short_digest([&*root.to_string_lossy(), name.as_str()]);
    let directory = session.store.directory().join("merges");
    (directory, format!("{file}.json"))
}

/// The record of a merge; `None` if there is none.
fn read_record(session: &Session<'_>, name: &SkillName) -> Result<Option<PendingMerge>> {
    let (directory, file) = record(session, name);
    let path = directory.join(file);
    let shown = || format!("cannot read {}", configuration::shown(&path));
    match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        text => {
            let pending = serde_json::from_slice(&text.with_context(shown)?);
            Ok(Some(pending.with_context(shown)?))
        }
    }
}

/// What to do about a conflict.
pub(super) fn hint(name: &SkillName) -> String {
    format!(
        "edit .agents/merge/{name}, then run `prowess update {name} --continue`; or run `prowess update {name}` with \
         `--ours` or `--theirs`"
    )
}

/// Writes the merged files with their markers, and what they are about.
pub(super) fn write(
    session: &Session<'_>,
    changes: &mut Changes<'_>,
    conflict: &Conflict<'_>,
) -> Result<()> {
    let Conflict { name, merge, .. } = conflict;
    let content = Content::Tree(&merge.tree);
    let digests = merge.tree.digests();
    let conflicts = merge.conflicts.iter();
    let conflicts = conflicts.filter_map(|path| Some((path.to_string(), digests.get(path)?)));
    let new = LockFile {
        skills: [((*name).clone(), conflict.new.clone())].into(),
    };
    let pending = PendingMerge {
        new: new.render(),
        locked: conflict.locked.digest.to_string(),
        ours: conflict.ours.clone(),
        merged: content.fingerprint(),
        conflicts: conflicts
            .map(|(path, digest)| (path, digest.to_string()))
            .collect(),
    };
    let seen = make_room(session, name)?;
    let (records, file) = record(session, name);
    let transaction = changes.transaction();
    let recorded = transaction.put_data(&records, &file, &serde_json::to_vec(&pending)?);
    recorded.context("cannot store the merge")?;
    let directory = directory(session);
    let written = transaction.put(&directory, name.as_str(), &content, &seen);
    written.with_context(|| format!("cannot write {}", configuration::shown(&directory)))
}

/// What the copy of a merge holds, if it may be replaced. What the user edited in it is never replaced: what cannot be read
/// as a skill, or has no record, is moved out of the way.
fn make_room(session: &Session<'_>, name: &SkillName) -> Result<Fingerprint> {
    let copy = directory(session).join(name.as_str());
    let seen = seen_at(&copy)?;
    if seen == Fingerprint::Absent {
        return Ok(seen);
    }
    let is_known = match read_record(session, name) {
        Ok(Some(pending)) if pending.merged == seen => return Ok(seen),
        Ok(Some(_)) => PackageTree::read_directory(&copy).is_ok(),
        Ok(None) | Err(_) => false,
    };
    let shown = configuration::shown(&copy);
    if is_known {
        return Err(CommandError::failure(format!(
            "{shown} has changes of yours from an earlier merge"
        ))
        .hint(format!(
            "run `prowess update {name} --continue`, or remove it"
        )));
    }
    let moved = move_aside(session, name)?;
    terminal::note(&format!(
        "warning: {shown} is of an earlier merge that is not known any more; it was moved to {}",
        configuration::shown(&moved)
    ));
    Ok(Fingerprint::Absent)
}

/// Moves the copy of a merge to `NAME.1`, or the next number that is free.
fn move_aside(session: &Session<'_>, name: &SkillName) -> Result<PathBuf> {
    let directory = directory(session);
    let within = session.place.within().map(Path::to_owned);
    let within = within.as_ref().map(std::slice::from_ref);
    let (handle, _) = open_real(&directory, within, Missing::Fail)?;
    let mut number = 1;
    loop {
        let moved = format!("{name}.{number}");
        let flags = RenameFlags::NOREPLACE;
        match renameat_with(&handle, name.as_str(), &handle, &moved, flags) {
            Err(Errno::EXIST) => number += 1,
            Err(error) => {
                let message = format!(
                    "cannot move {}: {error}",
                    directory.join(name.as_str()).display()
                );
                return Err(CommandError::failure(message));
            }
            Ok(()) => return Ok(directory.join(moved)),
        }
    }
}

/// Removes a merge without edits, because its skill was updated in another way.
pub(super) fn forget(
    session: &Session<'_>,
    changes: &mut Changes<'_>,
    name: &SkillName,
) -> Result<()> {
    let Ok(Some(pending)) = read_record(session, name) else {
        return Ok(());
    };
    if seen_at(&directory(session).join(name.as_str()))? == pending.merged {
        remove(session, changes, name, &pending.merged)?;
    }
    Ok(())
}

fn remove(
    session: &Session<'_>,
    changes: &mut Changes<'_>,
    name: &SkillName,
    seen: &Fingerprint,
) -> Result<()> {
    let (records, file) = record(session, name);
    let transaction = changes.transaction();
    transaction.remove(&directory(session), name.as_str(), seen)?;
    Ok(transaction.remove_data(&records, &file)?)
}

/// Merged files whose conflicts were resolved.
struct Resolved {
    name: SkillName,
    tree: InstallableTree,
    locked: LockedSkill,
    left_out: Vec<SkillPath>,
    /// What the skill held that was merged.
    ours: Fingerprint,
    /// What the copy held when it was read.
    copy: Fingerprint,
}

impl Resolved {
    fn read(session: &Session<'_>, name: &SkillName, before: &LockedSkill) -> Result<Self> {
        let copy = directory(session).join(name.as_str());
        let shown = configuration::shown(&copy);
        let none = || {
            CommandError::failure(format!("no merge of `{name}` is waiting"))
                .hint(format!("`prowess update {name}` starts one"))
        };
        let again = |what: &str| {
            CommandError::failure(what.to_owned()).hint(format!(
                "move {shown} away, then run `prowess update {name}` to merge again"
            ))
        };
        let pending = read_record(session, name).map_err(|error| again(&error.message))?;
        let pending = pending.ok_or_else(none)?;
        let new = LockFile::parse(&pending.new)?;
        let locked = new.skills.get(name).cloned().ok_or_else(none)?;
        let seen = seen_at(&copy)?;
        if seen == Fingerprint::Absent {
            return Err(none());
        }
        if seen_at(&session.place.skills().join(name.as_str()))? != pending.ours {
            return Err(again(&format!("`{name}` was edited after the merge")));
        }
        if before.digest.to_string() != pending.locked {
            return Err(again(&format!(
                "prowess.lock has another version of `{name}` than when it was merged"
            )));
        }
        let tree = PackageTree::read_directory(&copy);
        let (tree, _) = tree
            .with_context(|| format!("cannot read {shown}"))
            .map_err(|error| error.hint("the merged files stay as they are; repair them"))?;
        refuse_unresolved(&pending, &tree, name, &shown)?;
        let (tree, left_out) = tree.installable();
        Ok(Self {
            name: name.clone(),
            tree,
            locked,
            left_out,
            ours: pending.ours,
            copy: seen,
        })
    }

    /// The question about the new version, which was not asked while there was a conflict.
    fn ask(&self, examiner: &Examiner<'_>, given: GivenConsent) -> Result<()> {
        let name = &self.name;
        for note in left_out_notes(&self.left_out) {
            terminal::note(&terminal::printable(&format!("{name}: {note}")));
        }
        let inspection = examiner.inspect(name, &self.tree);
        let needed = examiner.consent(name, &self.tree, &inspection);
        let found = inspection.lines_if(needed, name);
        let question = format!("update {name}, with what was found?");
        if given.covers(needed, &found, &question)? {
            return Ok(());
        }
        let message = format!("not updated without your consent: {name}");
        Err(CommandError::permission(message).hint(needed.hint()))
    }
}

/// Refuses files in which a conflict is left: those with markers, and those that are as they were written, because they
/// are no text or one side removed them.
fn refuse_unresolved(
    pending: &PendingMerge,
    tree: &PackageTree,
    name: &SkillName,
    shown: &str,
) -> Result<()> {
    let (mut marked, mut untouched) = (Vec::new(), Vec::new());
    for (path, written) in &pending.conflicts {
        let Some(file) = tree.get(path) else {
            continue;
        };
        let digest = ContentDigest(Sha256::digest(&file.bytes).into());
        if has_markers(&file.bytes) {
            marked.push(path.as_str());
        } else if digest.to_string() == *written {
            untouched.push(path.as_str());
        }
    }
    if !marked.is_empty() {
        let marked = marked.join(", ");
        return Err(
            CommandError::failure(format!("conflict markers are left in {marked}"))
                .hint(format!("edit the files in {shown}")),
        );
    }
    if !untouched.is_empty() {
        let untouched = untouched.join(", ");
        return Err(CommandError::failure(format!(
            "both versions changed {untouched}, and the file in {shown} is still yours"
        ))
        .hint(format!(
            "put the file there that you want, or run `prowess update {name}` with `--ours` or `--theirs`"
        )));
    }
    Ok(())
}

/// Installs merged files whose conflicts were resolved.
pub(super) fn resume(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
    examiner: &Examiner<'_>,
    given: GivenConsent,
) -> Result<()> {
    until_unchanged(|| {
        let planned = seen_lock(session)?;
        let lock = session.lock()?;
        let mut all = Vec::new();
        for (name, before) in skills {
            let before = lock.skills.get(name).unwrap_or(before);
            let resolved = Resolved::read(session, name, before)?;
            resolved.ask(examiner, given)?;
            all.push(resolved);
        }
        let mut changes = Changes::begin_as_planned(session, false, &planned)?;
        for resolved in all {
            let name = &resolved.name;
            let installation = Installation {
                name,
                tree: &resolved.tree,
                locked: resolved.locked,
                seen: &resolved.ours,
            };
            changes.install(installation, &[])?;
            remove(session, &mut changes, name, &resolved.copy)?;
        }
        changes.commit()
    })?;
    // Other merges may wait in it.
    let _ = fs::remove_dir(directory(session));
    for (name, _) in skills {
        terminal::print(&format!("* {name}\n"))?;
    }
    Ok(())
}
