//! Changing a place: skills, the links of agents, the lock file, all in one transaction.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use prowess_registry::{
    Agent, AgentDirectory, Content, InstallableTree, LOCK_FILE, LockFile, LockedSkill, PackageTree,
    Transaction, compare, digest_of, plugin_files_in,
};
use prowess_spec::{SkillName, SkillPath};

use super::session::Session;
use crate::error::{CommandError, Context, Result};
use crate::{configuration, environment, terminal};

/// A skill that is to be installed.
pub(super) struct Installation<'i> {
    pub(super) name: &'i SkillName,
    /// The files on disk afterwards.
    pub(super) tree: &'i InstallableTree,
    /// What the lock file says; its digest is that of `tree` unless `tree` has edits.
    pub(super) locked: LockedSkill,
}

/// A skill from its source, as it may be installed.
pub(super) struct SourceSkill {
    pub(super) tree: InstallableTree,
    pub(super) locked: LockedSkill,
    /// Files of a plugin, which are not installed.
    pub(super) left_out: Vec<SkillPath>,
}

impl SourceSkill {
    pub(super) fn new(source: String, resolved: Option<String>, tree: PackageTree) -> Self {
        let whole = digest_of(&tree.digests());
        let (tree, left_out) = tree.installable();
        let files = tree.files().digests();
        let digest = digest_of(&files);
        let locked = LockedSkill {
            source,
            resolved,
            signed_by: None,
            digest,
            source_digest: (whole != digest).then_some(whole),
            files,
        };
        Self {
            tree,
            locked,
            left_out,
        }
    }

    /// The files that the lock file means, from the source or as they were installed; `None` if they are others.
    pub(super) fn of_lock(tree: PackageTree, locked: &LockedSkill) -> Option<Self> {
        let mut skill = Self::new(locked.source.clone(), locked.resolved.clone(), tree);
        skill.locked.signed_by.clone_from(&locked.signed_by);
        let is_locked = skill.locked.digest == locked.digest
            && [None, locked.source_digest].contains(&skill.locked.source_digest);
        if is_locked {
            skill.locked = locked.clone();
        }
        // Before plugins were left out, the digest was that of the whole.
        let is_earlier =
            locked.source_digest.is_none() && skill.locked.source_digest == Some(locked.digest);
        (is_locked || is_earlier).then_some(skill)
    }

    /// One line for each file that is not installed.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        left_out_notes(&self.left_out)
    }
}

/// One line for each file of a plugin that is not installed.
pub(super) fn left_out_notes(paths: &[SkillPath]) -> impl Iterator<Item = String> {
    let note = |path: &SkillPath| format!("left out: {path}: part of a plugin, not of a skill");
    paths.iter().map(note)
}

/// Whether agents got a link to a skill.
pub(super) enum Linked {
    /// The names of those that got one.
    For(Vec<&'static str>),
    /// It has these files of a plugin, which agents would run.
    Plugin(Vec<String>),
    /// The user does not agree.
    Refused,
}

/// A skill as it is in its place.
pub(super) struct SkillOnDisk {
    pub(super) tree: InstallableTree,
    /// Links and other things that are no part of the tree, but that an agent sees.
    pub(super) unread: Vec<String>,
}

/// What becomes of a place.
pub(super) struct Changes<'c> {
    session: &'c Session<'c>,
    transaction: Transaction,
    /// The lock file as it will be.
    pub(super) lock: LockFile,
    before: LockFile,
    applied: LockFile,
    /// Skills that are installed now. Others of the lock file stay at the version that this machine was last changed to; those
    /// that were never installed here came with the project.
    accepted: BTreeSet<SkillName>,
    /// Every directory of an agent; looking for them takes longer than installing a skill.
    agent_directories: Vec<PathBuf>,
    copy: bool,
}

impl<'c> Changes<'c> {
    /// Locks the place and reads its lock file.
    pub(super) fn begin(session: &'c Session<'c>, copy: bool) -> Result<Self> {
        let transaction = session.begin()?;
        let before = session.lock()?;
        Ok(Self {
            session,
            transaction,
            lock: before.clone(),
            before,
            applied: session.applied(),
            accepted: BTreeSet::new(),
            agent_directories: session.place.all_directories(&session.user_home()),
            copy,
        })
    }

    /// Installs a skill for these agents.
    pub(super) fn install(
        &mut self,
        installation: Installation<'_>,
        agents: &[&'static Agent],
    ) -> Result<Vec<AgentDirectory>> {
        let Installation { name, tree, locked } = installation;
        let skills = self.session.place.skills();
        self.put(&skills, name, &Content::Tree(tree.files()))?;
        let user = self.session.user_home();
        let directories = self.session.place.linked_directories(agents, &user);
        for directory in &directories {
            self.link(&directory.path, name, tree)?;
        }
        // Copies in other agents' directories are updated with it.
        for path in self.agent_directories.clone() {
            let is_listed = directories.iter().any(|it| it.path == path);
            if !is_listed && self.is_unedited_copy(&path.join(name.as_str()), name) {
                self.put(&path, name, &Content::Tree(tree.files()))?;
            }
        }
        self.accept(name, locked);
        Ok(directories)
    }

    /// Links a skill that is on disk for agents that have no link yet, if `accepts` takes it. What is in the way stays.
    ///
    /// One that was not accepted here is looked at even if there is nothing to link: agents see it where it is.
    pub(super) fn link_missing(
        &mut self,
        name: &SkillName,
        agents: &[&'static Agent],
        is_accepted: bool,
        accepts: impl FnOnce(&SkillOnDisk) -> Result<bool>,
    ) -> Result<Linked> {
        let user = self.session.user_home();
        let mut directories = self.session.place.linked_directories(agents, &user);
        let lacks = |directory: &AgentDirectory| {
            fs::symlink_metadata(directory.path.join(name.as_str())).is_err()
        };
        directories.retain(lacks);
        if directories.is_empty() && is_accepted {
            return Ok(Linked::For(Vec::new()));
        }
        let skill = self.session.place.skills().join(name.as_str());
        let plugin = plugin_files_in(&skill);
        if !plugin.is_empty() {
            return Ok(Linked::Plugin(plugin));
        }
        let read = PackageTree::read_directory(&skill);
        let (tree, unread) = read.with_context(|| format!("cannot read `{name}`"))?;
        let on_disk = SkillOnDisk {
            tree: tree.into(),
            unread,
        };
        if !accepts(&on_disk)? {
            return Ok(Linked::Refused);
        }
        let tree = on_disk.tree;
        let mut linked = Vec::new();
        for directory in directories {
            self.link(&directory.path, name, &tree)?;
            linked.extend(directory.agents);
        }
        if self
            .before
            .skills
            .get(name)
            .is_some_and(|locked| is_of(&tree, locked))
        {
            self.accepted.insert(name.clone());
        }
        Ok(Linked::For(linked))
    }

    fn put(&mut self, directory: &Path, name: &SkillName, content: &Content<'_>) -> Result<()> {
        self.transaction
            .put(directory, name.as_str(), content)
            .with_context(|| {
                let path = directory.join(name.as_str());
                format!("cannot write {}", configuration::shown(&path))
            })
    }

    /// Links a skill into the directory of an agent, or copies it where links are not wanted or do not work.
    fn link(&mut self, directory: &Path, name: &SkillName, tree: &InstallableTree) -> Result<()> {
        let path = directory.join(name.as_str());
        let target = self.session.place.link_target(directory, name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| configuration::shown(&path)),
            Ok(found) if found.is_symlink() => {
                let is_own = fs::read_link(&path).is_ok_and(|it| it == target)
                    || self.leads_to_own(&path, name);
                if is_own && !self.copy {
                    return Ok(());
                }
                // A broken link is replaced.
                if !is_own && path.exists() {
                    return Err(in_the_way(&path, "is a link to something else"));
                }
            }
            Ok(_) if is_same(&path, tree.files()) || self.is_unedited_copy(&path, name) => {}
            Ok(_) => return Err(in_the_way(&path, "was not installed by prowess")),
        }
        if !self.copy {
            let linked = self
                .transaction
                .put(directory, name.as_str(), &Content::Link(&target));
            match linked {
                Err(error) if is_unsupported(&error) => {}
                linked => {
                    return linked
                        .with_context(|| format!("cannot link {}", configuration::shown(&path)));
                }
            }
        }
        self.put(directory, name, &Content::Tree(tree.files()))
    }

    fn leads_to_own(&self, path: &Path, name: &SkillName) -> bool {
        let own = self.session.place.skills().join(name.as_str());
        match (fs::canonicalize(path), fs::canonicalize(own)) {
            (Ok(path), Ok(own)) => path == own,
            _ => false,
        }
    }

    /// Whether a directory is exactly what the lock file says, or said when this machine was last changed to it.
    fn is_unedited_copy(&self, path: &Path, name: &SkillName) -> bool {
        let is_directory = fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
        let versions = [&self.before, &self.applied];
        let mut versions = versions.into_iter().filter_map(|it| it.skills.get(name));
        is_directory
            && versions.any(|locked| {
                matches!(compare(path, &locked.files), Ok(Some(changes)) if changes.is_empty())
            })
    }

    /// Removes a skill and its links; returns copies of agents that were edited and stay.
    pub(super) fn remove(&mut self, name: &SkillName) -> Result<Vec<PathBuf>> {
        let place = &self.session.place;
        let removed =
            |error: io::Error| CommandError::failure(format!("cannot remove `{name}`: {error}"));
        let mut kept = Vec::new();
        for directory in self.agent_directories.clone() {
            let path = directory.join(name.as_str());
            let target = place.link_target(&directory, name);
            let is_link = fs::read_link(&path).is_ok_and(|it| it == target)
                || (path.is_symlink() && self.leads_to_own(&path, name));
            if is_link || self.is_unedited_copy(&path, name) {
                self.transaction
                    .remove(&directory, name.as_str())
                    .map_err(removed)?;
            } else if fs::symlink_metadata(&path).is_ok() {
                kept.push(path);
            }
        }
        self.transaction
            .remove(&place.skills(), name.as_str())
            .map_err(removed)?;
        self.lock.skills.remove(name);
        Ok(kept)
    }

    /// Notes a skill that is here with the user's consent.
    pub(super) fn accept(&mut self, name: &SkillName, locked: LockedSkill) {
        self.lock.skills.insert(name.clone(), locked);
        self.accepted.insert(name.clone());
    }

    /// Writes a file of this place.
    pub(super) fn transaction(&mut self) -> &mut Transaction {
        &mut self.transaction
    }

    /// Makes the changes.
    pub(super) fn commit(mut self) -> Result<()> {
        let path = self.session.place.lock_path().to_owned();
        let parent = path.parent().unwrap_or(Path::new(".")).to_owned();
        let work = environment::work_records();
        let _writing = work.map(|work| work.writing(self.session.place.root()));
        let write = |transaction: &mut Transaction| {
            // One without skills stays: its absence would not say that they were removed.
            if self.lock != self.before || (!path.exists() && !self.lock.skills.is_empty()) {
                let text = self.lock.render();
                transaction.put(&parent, LOCK_FILE, &Content::File(text.as_bytes()))
            } else {
                Ok(())
            }
        };
        write(&mut self.transaction)
            .with_context(|| format!("cannot write {}", configuration::shown(&path)))?;
        self.transaction
            .commit()
            .context("cannot finish the changes")?;
        let mut remembered = LockFile::default();
        for (name, locked) in &self.lock.skills {
            let applied = self.applied.skills.get(name);
            let is_applied = applied.is_some_and(|applied| applied.digest == locked.digest);
            let version = if is_applied || self.accepted.contains(name) {
                Some(locked)
            } else {
                applied
            };
            if let Some(version) = version {
                remembered.skills.insert(name.clone(), version.clone());
            }
        }
        self.session.remember(&remembered);
        Ok(())
    }
}

fn is_of(tree: &InstallableTree, locked: &LockedSkill) -> bool {
    digest_of(&tree.files().digests()) == locked.digest
}

fn is_same(path: &Path, tree: &PackageTree) -> bool {
    matches!(compare(path, &tree.digests()), Ok(Some(changes)) if changes.is_empty())
}

/// Says that a skill was not linked, and why.
pub(super) fn print_unlinked(name: &SkillName, plugin: &[String]) {
    let files = plugin.join(", ");
    terminal::print_problem(
        &format!("`{name}` was not linked: agents would run it as a plugin: {files}"),
        Some("remove these files, then run `prowess sync`"),
    );
}

fn in_the_way(path: &Path, what: &str) -> CommandError {
    let shown = configuration::shown(path);
    CommandError::failure(format!("{shown} {what}"))
        .hint("remove it, or name the agents that you want with `--agent`")
}

/// Whether a file system has no links.
fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS)
    )
}
