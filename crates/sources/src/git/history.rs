//! What happened to a directory between two commits.

use std::collections::{BinaryHeap, HashSet};

use gix::{ObjectId, Repository};
use prowess_core::SourceError;
use prowess_spec::SkillPath;

use super::checkout::corrupt;

/// Changes that are listed.
const CHANGES: usize = 50;
/// Commits that are looked at.
const COMMITS: usize = 20_000;

/// A commit that changed a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitChange {
    /// 40 hexadecimal digits.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// The commits that changed a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitChanges {
    /// Newest first, at most 50.
    pub changes: Vec<GitChange>,
    /// Why there may be more.
    pub incomplete: Option<&'static str>,
}

/// The commits that `head` has and `since` does not, as far as both are there.
pub(super) fn changes(
    repository: &Repository,
    head: ObjectId,
    since: ObjectId,
    directory: Option<&SkillPath>,
) -> Result<GitChanges, SourceError> {
    let mut found = GitChanges::default();
    if !repository.has_object(since) {
        found.incomplete = Some("the history was not fetched");
        return Ok(found);
    }
    let known = ancestors(repository, since)?;
    let mut seen = HashSet::from([head]);
    let mut queue = BinaryHeap::from([(time(repository, head)?, head)]);
    while let Some((_, id)) = queue.pop() {
        if known.contains(&id) {
            continue;
        }
        if found.changes.len() >= CHANGES || seen.len() > COMMITS {
            found.incomplete = Some("there are more changes");
            break;
        }
        let commit = repository.find_commit(id).map_err(corrupt)?;
        let own = state(repository, id, directory)?;
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        let mut is_change = !parents.is_empty() || own.is_some();
        for parent in parents {
            if !repository.has_object(parent) {
                found.incomplete = Some("the history was not fetched");
                is_change = false;
                continue;
            }
            // A merge that takes one side as it is changes nothing.
            is_change &= state(repository, parent, directory)? != own;
            if seen.insert(parent) {
                queue.push((time(repository, parent)?, parent));
            }
        }
        if is_change {
            let message = commit.message().map_err(corrupt)?;
            found.changes.push(GitChange {
                id: id.to_string(),
                subject: message.summary().to_string(),
            });
        }
    }
    Ok(found)
}

/// A commit with everything before it, as far as it is there.
fn ancestors(repository: &Repository, id: ObjectId) -> Result<HashSet<ObjectId>, SourceError> {
    let mut seen = HashSet::from([id]);
    let mut queue = vec![id];
    while let Some(id) = queue.pop()
        && seen.len() < COMMITS
    {
        let commit = repository.find_commit(id).map_err(corrupt)?;
        for parent in commit.parent_ids() {
            if repository.has_object(parent) && seen.insert(parent.detach()) {
                queue.push(parent.detach());
            }
        }
    }
    Ok(seen)
}

fn time(repository: &Repository, id: ObjectId) -> Result<i64, SourceError> {
    let commit = repository.find_commit(id).map_err(corrupt)?;
    Ok(commit.time().map_err(corrupt)?.seconds)
}

/// The object of a directory in a commit.
fn state(
    repository: &Repository,
    commit: ObjectId,
    directory: Option<&SkillPath>,
) -> Result<Option<ObjectId>, SourceError> {
    let commit = repository.find_commit(commit).map_err(corrupt)?;
    let Some(directory) = directory else {
        return Ok(Some(commit.tree_id().map_err(corrupt)?.detach()));
    };
    let tree = commit.tree().map_err(corrupt)?;
    let entry = tree.lookup_entry_by_path(directory.as_str());
    Ok(entry.map_err(corrupt)?.map(|entry| entry.object_id()))
}
