//! Merges with conflicts: the user resolves them in a copy, and nothing else changes until then.

use std::fs;
use std::path::{Path, PathBuf};

use prowess_registry::{Content, LockFile, LockedSkill, PackageTree, digest_of, has_markers};
use prowess_spec::SkillName;
use serde::{Deserialize, Serialize};

use super::apply::{Changes, Installation, left_out_notes};
use super::consent::{Examiner, GivenConsent};
use super::session::Session;
use crate::error::{CommandError, Context, Result};
use crate::{configuration, terminal};

/// What a merge is about. It is stored with the user: a project cannot state what a skill consists of.
#[derive(Serialize, Deserialize)]
struct PendingMerge {
    /// The new version, as a lock file.
    lock: String,
    /// The digest of the edited files that were merged.
    ours: String,
    /// The digest of the merged files, as they were written.
    merged: String,
}

fn directory(session: &Session<'_>) -> PathBuf {
    session.place.root().join(".agents/merge")
}

fn record(session: &Session<'_>, name: &SkillName) -> PathBuf {
    let root = session.place.skills();
    let root = fs::canonicalize(&root).unwrap_or(root);
    let file = prowess_net::short_digest([&*root.to_string_lossy(), name.as_str()]);
    let merges = session.store.directory().join("merges");
    merges.join(format!("{file}.json"))
}

/// What to do about a conflict.
pub(super) fn hint(name: &SkillName) -> String {
    format!(
        "edit .agents/merge/{name}, then run `prowess update {name} --continue`; or run `prowess update {name}` with \
         `--ours` or `--theirs`"
    )
}

/// Writes the merged files with their markers.
pub(super) fn write(
    session: &Session<'_>,
    changes: &mut Changes<'_>,
    name: &SkillName,
    merged: &PackageTree,
    locked: &LockedSkill,
) -> Result<()> {
    let lock = LockFile {
        skills: [(name.clone(), locked.clone())].into(),
    };
    let pending = PendingMerge {
        lock: lock.render(),
        ours: digest(session, name)?,
        merged: digest_of(&merged.digests()).to_string(),
    };
    let path = record(session, name);
    refuse_resolution(session, name, &path)?;
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent.context("cannot store the merge")?;
    fs::write(&path, serde_json::to_vec(&pending)?).context("cannot store the merge")?;
    let directory = directory(session);
    let content = Content::Tree(merged);
    let written = changes
        .transaction()
        .put(&directory, name.as_str(), &content);
    written.with_context(|| format!("cannot write {}", configuration::shown(&directory)))
}

/// Refuses to write over merged files that the user edited.
fn refuse_resolution(session: &Session<'_>, name: &SkillName, record: &Path) -> Result<()> {
    let before: Option<PendingMerge> = fs::read(record)
        .ok()
        .and_then(|it| serde_json::from_slice(&it).ok());
    let directory = directory(session).join(name.as_str());
    let Ok((found, _)) = PackageTree::read_directory(&directory) else {
        return Ok(());
    };
    let found = digest_of(&found.digests()).to_string();
    if before.is_some_and(|it| it.merged == found) {
        return Ok(());
    }
    let shown = configuration::shown(&directory);
    Err(CommandError::failure(format!(
        "{shown} has changes of yours from an earlier merge"
    ))
    .hint(format!(
        "run `prowess update {name} --continue`, or remove it"
    )))
}

/// The digest of a skill as it is on disk.
fn digest(session: &Session<'_>, name: &SkillName) -> Result<String> {
    let path = session.place.skills().join(name.as_str());
    let (tree, _) = PackageTree::read_directory(&path)?;
    Ok(digest_of(&tree.digests()).to_string())
}

/// Installs merged files whose conflicts were resolved.
pub(super) fn resume(
    session: &Session<'_>,
    skills: &[(SkillName, LockedSkill)],
    examiner: &Examiner<'_>,
    given: GivenConsent,
) -> Result<()> {
    let mut changes = Changes::begin(session, false)?;
    for (name, _) in skills {
        let merged = directory(session).join(name.as_str());
        let shown = configuration::shown(&merged);
        let none = || {
            CommandError::failure(format!("no merge of `{name}` is waiting"))
                .hint(format!("`prowess update {name}` starts one"))
        };
        let pending = fs::read(record(session, name)).map_err(|_| none())?;
        let pending: PendingMerge = serde_json::from_slice(&pending)?;
        let lock = LockFile::parse(&pending.lock)?;
        let locked = lock.skills.get(name).cloned().ok_or_else(none)?;
        if !merged.is_dir() {
            return Err(none());
        }
        if digest(session, name)? != pending.ours {
            return Err(
                CommandError::failure(format!("`{name}` was edited after the merge"))
                    .hint(format!("`prowess update {name}` merges again")),
            );
        }
        let (tree, _) = PackageTree::read_directory(&merged)?;
        let open: Vec<String> = tree
            .files()
            .filter(|(_, file)| has_markers(&file.bytes))
            .map(|(path, _)| path.to_string())
            .collect();
        if !open.is_empty() {
            let open = open.join(", ");
            return Err(
                CommandError::failure(format!("conflict markers are left in {open}"))
                    .hint(format!("edit the files in {shown}")),
            );
        }
        let (tree, left_out) = tree.installable();
        for note in left_out_notes(&left_out) {
            terminal::note(&terminal::printable(&format!("{name}: {note}")));
        }
        // The question about the new version was not asked while there was a conflict.
        let inspection = examiner.inspect(name, &tree);
        let needed = examiner.consent(name, &tree, &inspection);
        let found = inspection.lines_if(needed, name);
        if !given.covers(
            needed,
            &found,
            &format!("update {name}, with what was found?"),
        )? {
            let message = format!("not updated without your consent: {name}");
            return Err(CommandError::permission(message).hint(needed.hint()));
        }
        let tree = &tree;
        changes.install(Installation { name, tree, locked }, &[])?;
        changes
            .transaction()
            .remove(&directory(session), name.as_str())?;
    }
    changes.commit()?;
    // Nothing of it is left, so an empty directory goes, too.
    let _ = fs::remove_dir(directory(session));
    for (name, _) in skills {
        let _ = fs::remove_file(record(session, name));
        terminal::print(&format!("* {name}\n"))?;
    }
    Ok(())
}
