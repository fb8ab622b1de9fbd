//! A commit of a repository, read piece by piece.

use std::collections::BTreeSet;
use std::fmt;

use gix::{ObjectId, Repository, Tree};
use prowess_config::GitLocation;
use prowess_core::SourceError;
use prowess_spec::SkillPath;

use super::checkout::{corrupt, tree_at};
use super::connect::open_server_url;
use super::fetch::{open_local, unavailable};
use super::history::{self, GitChanges};
use super::origin::{Origin, offline};
use super::progress::Watcher;
use super::reference::Reference;
use super::server::Conversation;
use super::tree::{GitFiles, GitSkill, TreeFiles, content};
use crate::remote::{Network, RemoteOptions};

/// A commit of a repository. Its files are fetched when they are asked for.
///
/// All of it blocks.
pub struct GitCommit {
    repository: Repository,
    commit: ObjectId,
    /// Where to get what is missing; a repository of this machine has everything.
    origin: Option<Origin>,
}

impl GitCommit {
    /// Opens a repository of this machine in place (a path or a `file://` URL), or fetches one commit from a server
    /// over https, http, ssh or git: without its history, and without the contents of files where the server can.
    ///
    /// `reference` is a branch, a tag or all digits of a commit; the default branch if `None`.
    pub fn open(
        location: &GitLocation,
        reference: Option<&str>,
        remote: &RemoteOptions,
    ) -> Result<Self, SourceError> {
        let reference = Reference::parse(reference)?;
        match location {
            GitLocation::Local(path) => {
                let repository = open_local(path)?;
                let commit = reference.local(&repository)?;
                Ok(Self {
                    repository,
                    commit,
                    origin: None,
                })
            }
            GitLocation::Http(url) | GitLocation::Ssh(url) | GitLocation::Daemon(url) => {
                let origin = Origin::new(open_server_url(url)?, remote)?;
                let (repository, commit) = origin.open(&reference)?;
                Ok(Self {
                    repository,
                    commit,
                    origin: Some(origin),
                })
            }
        }
    }

    /// 40 hexadecimal digits.
    pub fn id(&self) -> String {
        self.commit.to_string()
    }

    /// The skills below a directory, by path; the contents of files are not read.
    pub fn skills(&self, below: Option<&SkillPath>) -> Result<Vec<GitSkill>, SourceError> {
        let prefix = below.map_or("", SkillPath::as_str);
        Ok(TreeFiles::list(&self.tree(below)?, prefix)?.skills())
    }

    /// The contents of files, fetched together if they are not there yet. `None` for a path that is not a file, or
    /// one of more than 50 MiB.
    pub fn read(&self, paths: &[SkillPath]) -> Result<Vec<Option<Vec<u8>>>, SourceError> {
        let root = self.tree(None)?;
        let id = |path: &SkillPath| {
            let entry = root.lookup_entry_by_path(path.as_str()).map_err(corrupt)?;
            let file = entry.filter(|entry| entry.mode().is_blob());
            Ok(file.map(|entry| entry.object_id()))
        };
        let ids: Vec<Option<ObjectId>> = paths.iter().map(id).collect::<Result<_, _>>()?;
        self.require(ids.iter().flatten().copied())?;
        let read = |id: Option<ObjectId>| match id {
            Some(id) => content(&self.repository, id),
            None => Ok(None),
        };
        ids.into_iter().map(read).collect()
    }

    /// Fetches the files of several directories together; then [`files`](Self::files) of each needs no request. A
    /// directory that does not exist is ignored.
    pub fn prepare<'p>(
        &self,
        directories: impl IntoIterator<Item = Option<&'p SkillPath>>,
    ) -> Result<(), SourceError> {
        let mut ids = BTreeSet::new();
        for directory in directories {
            if let Some(tree) = tree_at(&self.repository, self.commit, directory)? {
                let files = TreeFiles::list(&tree, "")?;
                ids.extend(files.files.values().map(|file| file.id));
            }
        }
        self.require(ids.into_iter())
    }

    /// All files below a directory, fetched together if they are not there yet. Links to files of the directory are
    /// those files.
    pub fn files(&self, directory: Option<&SkillPath>) -> Result<GitFiles, SourceError> {
        let files = TreeFiles::list(&self.tree(directory)?, "")?;
        self.require(files.files.values().map(|file| file.id))?;
        files.read(&self.repository)
    }

    /// The commits after `since` that changed a directory.
    pub fn changes(
        &self,
        since: &str,
        directory: Option<&SkillPath>,
    ) -> Result<GitChanges, SourceError> {
        let Reference::Commit(since) = Reference::parse(Some(since))? else {
            return Err(unavailable("a commit has 40 digits".to_owned()));
        };
        let look = || history::changes(&self.repository, self.commit, since, directory);
        let found = look()?;
        match &self.origin {
            Some(origin) if found.incomplete.is_some() && origin.add_history(self.commit)? => {
                look()
            }
            _ => Ok(found),
        }
    }

    fn tree(&self, directory: Option<&SkillPath>) -> Result<Tree<'_>, SourceError> {
        let tree = tree_at(&self.repository, self.commit, directory)?;
        tree.ok_or_else(|| {
            let shown = directory.map_or("", SkillPath::as_str);
            unavailable(format!("the repository has no directory `{shown}`"))
        })
    }

    /// Fetches the objects that are missing.
    fn require(&self, ids: impl Iterator<Item = ObjectId>) -> Result<(), SourceError> {
        let missing = |id: &ObjectId| !self.repository.has_object(id);
        let ids: BTreeSet<ObjectId> = ids.filter(missing).collect();
        match &self.origin {
            Some(origin) if !ids.is_empty() => origin.add(ids, missing, self.commit),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for GitCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GitCommit").field(&self.commit).finish()
    }
}

/// The commit that each reference of a repository has now, with one question to its server; nothing is fetched.
pub fn git_heads(
    location: &GitLocation,
    references: &[Option<String>],
    remote: &RemoteOptions,
) -> Result<Vec<Option<String>>, SourceError> {
    let parse = |text: &Option<String>| Reference::parse(text.as_deref());
    let references: Vec<Reference> = references.iter().map(parse).collect::<Result<_, _>>()?;
    match location {
        GitLocation::Local(path) => {
            let repository = open_local(path)?;
            let find = |it: &Reference| Some(it.local(&repository).ok()?.to_string());
            Ok(references.iter().map(find).collect())
        }
        _ if remote.network == Network::Offline => Err(offline("the server")),
        GitLocation::Http(url) | GitLocation::Ssh(url) | GitLocation::Daemon(url) => {
            let url = open_server_url(url)?;
            let progress = Watcher::new(remote.progress.as_ref());
            let prefixes: Vec<String> = references.iter().flat_map(Reference::candidates).collect();
            let told = Conversation::start(&url, &progress)?.references(&prefixes)?;
            let find = |reference: &Reference| match reference {
                Reference::Commit(id) => Some(id.to_string()),
                other => Some(other.find(&told)?.commit.to_string()),
            };
            Ok(references.iter().map(find).collect())
        }
    }
}
