//! Changing a place: skills, the links of agents, the lock file, all in one transaction.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use prowess_registry::{
    Agent, AgentDirectory, Content, Fingerprint, InstallableTree, LOCK_FILE, LockFile, LockedSkill,
    PackageTree, Transaction, TransactionError, compare, digest_of, plugin_files_in,
};
use prowess_spec::{SkillName, SkillPath};

use super::interrupted::report_kept;
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
    /// What is replaced: what its name held when this was planned.
    pub(super) seen: &'i Fingerprint,
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

/// Whether agents get a link to a skill.
pub(super) enum LinkPlan {
    /// All of them have one.
    Nothing,
    Links(MissingLinks),
    /// It has these files of a plugin, which agents would run.
    Plugin(Vec<String>),
    /// The user does not agree.
    Refused,
}

/// Links that agents lack.
pub(super) struct MissingLinks {
    directories: Vec<AgentDirectory>,
    /// The skill, where links do not work.
    tree: InstallableTree,
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
    /// What the name of the lock file held when it was read.
    seen_lock: Fingerprint,
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
        let seen_lock = seen_lock(session)?;
        let before = session.lock()?;
        Ok(Self {
            session,
            transaction,
            lock: before.clone(),
            before,
            seen_lock,
            applied: session.applied(),
            accepted: BTreeSet::new(),
            agent_directories: session.place.all_directories(&session.user_home()),
            copy,
        })
    }

    /// The same for what was planned from a lock file, which has to be that one still.
    pub(super) fn begin_as_planned(
        session: &'c Session<'c>,
        copy: bool,
        planned: &Fingerprint,
    ) -> Result<Self> {
        let changes = Self::begin(session, copy)?;
        if changes.seen_lock == *planned {
            return Ok(changes);
        }
        let path = session.place.lock_path().to_owned();
        Err(TransactionError::Changed(path).into())
    }

    /// Installs a skill for these agents.
    pub(super) fn install(
        &mut self,
        installation: Installation<'_>,
        agents: &[&'static Agent],
    ) -> Result<Vec<AgentDirectory>> {
        let Installation {
            name,
            tree,
            locked,
            seen,
        } = installation;
        let skills = self.session.place.skills();
        self.put(&skills, name, &Content::Tree(tree.files()), seen)?;
        let user = self.session.user_home();
        let directories = self.session.place.linked_directories(agents, &user);
        for directory in &directories {
            self.link(&directory.path, name, tree)?;
        }
        // Copies in other agents' directories are updated with it.
        for path in self.agent_directories.clone() {
            if directories.iter().any(|listed| listed.path == path) {
                continue;
            }
            if let Some(seen) = self.unedited_copy(&path.join(name.as_str()), name) {
                self.put(&path, name, &Content::Tree(tree.files()), &seen)?;
            }
        }
        self.accept(name, locked);
        Ok(directories)
    }

    /// Makes the links that were planned; returns the agents that got one.
    pub(super) fn link_missing(
        &mut self,
        name: &SkillName,
        links: &MissingLinks,
    ) -> Result<Vec<&'static str>> {
        let mut linked = Vec::new();
        for directory in &links.directories {
            self.link(&directory.path, name, &links.tree)?;
            linked.extend(&directory.agents);
        }
        if self
            .before
            .skills
            .get(name)
            .is_some_and(|locked| is_of(&links.tree, locked))
        {
            self.accepted.insert(name.clone());
        }
        Ok(linked)
    }

    fn put(
        &mut self,
        directory: &Path,
        name: &SkillName,
        content: &Content<'_>,
        seen: &Fingerprint,
    ) -> Result<()> {
        self.transaction
            .put(directory, name.as_str(), content, seen)
            .with_context(|| {
                let path = directory.join(name.as_str());
                format!("cannot write {}", configuration::shown(&path))
            })
    }

    /// Links a skill into the directory of an agent, or copies it where links are not wanted or do not work.
    fn link(&mut self, directory: &Path, name: &SkillName, tree: &InstallableTree) -> Result<()> {
        let path = directory.join(name.as_str());
        let target = self.session.place.link_target(directory, name);
        let seen = seen_at(&path)?;
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
            Ok(_) if is_same(&path, tree.files()) || self.unedited_copy(&path, name).is_some() => {}
            Ok(_) => return Err(in_the_way(&path, "was not installed by prowess")),
        }
        if !self.copy {
            let linked =
                self.transaction
                    .put(directory, name.as_str(), &Content::Link(&target), &seen);
            match linked {
                Err(error) if is_unsupported(&error) => {}
                linked => {
                    return linked
                        .with_context(|| format!("cannot link {}", configuration::shown(&path)));
                }
            }
        }
        self.put(directory, name, &Content::Tree(tree.files()), &seen)
    }

    fn leads_to_own(&self, path: &Path, name: &SkillName) -> bool {
        let own = self.session.place.skills().join(name.as_str());
        match (fs::canonicalize(path), fs::canonicalize(own)) {
            (Ok(path), Ok(own)) => path == own,
            _ => false,
        }
    }

    /// What a directory holds that is exactly what the lock file says, or said when this machine was last changed to it.
    fn unedited_copy(&self, path: &Path, name: &SkillName) -> Option<Fingerprint> {
        if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
            return None;
        }
        let seen = Fingerprint::of(path).ok()?;
        let versions = [&self.before, &self.applied];
        let mut versions = versions
            .into_iter()
            .filter_map(|lock| lock.skills.get(name));
        let is_unedited = versions.any(|locked| {
            matches!(compare(path, &locked.files), Ok(Some(changes)) if changes.is_empty())
        });
        is_unedited.then_some(seen)
    }

    /// Removes a skill, which holds what the caller saw, and its links; returns copies of agents that were edited and stay.
    pub(super) fn remove(&mut self, name: &SkillName, seen: &Fingerprint) -> Result<Vec<PathBuf>> {
        let kept = self.remove_links(name)?;
        let skills = self.session.place.skills();
        self.transaction
            .remove(&skills, name.as_str(), seen)
            .with_context(|| format!("cannot remove `{name}`"))?;
        self.lock.skills.remove(name);
        Ok(kept)
    }

    /// Puts the rest of a skill in its place, and removes its links and its entry.
    pub(super) fn reduce(
        &mut self,
        name: &SkillName,
        rest: &PackageTree,
        seen: &Fingerprint,
    ) -> Result<Vec<PathBuf>> {
        let kept = self.remove_links(name)?;
        let skills = self.session.place.skills();
        self.put(&skills, name, &Content::Tree(rest), seen)?;
        self.lock.skills.remove(name);
        Ok(kept)
    }

    fn remove_links(&mut self, name: &SkillName) -> Result<Vec<PathBuf>> {
        let place = &self.session.place;
        let mut kept = Vec::new();
        for directory in self.agent_directories.clone() {
            let path = directory.join(name.as_str());
            let target = place.link_target(&directory, name);
            let found = seen_at(&path)?;
            let is_link = fs::read_link(&path).is_ok_and(|link| link == target)
                || (path.is_symlink() && self.leads_to_own(&path, name));
            let seen = if is_link {
                Some(found)
            } else {
                self.unedited_copy(&path, name)
            };
            if let Some(seen) = seen {
                self.transaction
                    .remove(&directory, name.as_str(), &seen)
                    .with_context(|| format!("cannot remove `{name}`"))?;
            } else if fs::symlink_metadata(&path).is_ok() {
                kept.push(path);
            }
        }
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
        // One without skills stays: its absence would not say that they were removed.
        if self.lock != self.before || (!path.exists() && !self.lock.skills.is_empty()) {
            let text = self.lock.render();
            let content = Content::File(text.as_bytes());
            self.transaction
                .put(&parent, LOCK_FILE, &content, &self.seen_lock)
                .with_context(|| format!("cannot write {}", configuration::shown(&path)))?;
        }
        self.note_applied()?;
        let kept = self
            .transaction
            .commit()
            .context("cannot finish the changes")?;
        report_kept(&kept);
        self.session.store.prune();
        Ok(())
    }

    /// Notes what is installed: it is the base of merges, and of skills that disappear from the lock file, only these are
    /// removed by `sync`.
    fn note_applied(&mut self) -> Result<()> {
        let mut applied = LockFile::default();
        for (name, locked) in &self.lock.skills {
            let before = self.applied.skills.get(name);
            let is_applied = before.is_some_and(|before| before.digest == locked.digest);
            let version = if is_applied || self.accepted.contains(name) {
                Some(locked)
            } else {
                before
            };
            if let Some(version) = version {
                applied.skills.insert(name.clone(), version.clone());
            }
        }
        let note = self.session.applied_note();
        let text = note.text(&applied);
        let (Some(directory), Some(name)) = (note.path().parent(), note.path().file_name()) else {
            return Ok(());
        };
        if fs::read(note.path()).is_ok_and(|before| before == text.as_bytes()) {
            return Ok(());
        }
        let shown = configuration::shown(note.path());
        if note.read().is_err() {
            note.set_aside()
                .with_context(|| format!("cannot move {shown}"))?;
        }
        self.transaction
            .put_data(directory, &name.to_string_lossy(), text.as_bytes())
            .with_context(|| format!("cannot write {shown}"))
    }
}

/// What the name of the lock file holds.
pub(super) fn seen_lock(session: &Session<'_>) -> Result<Fingerprint> {
    seen_at(session.place.lock_path())
}

/// What a path holds.
pub(super) fn seen_at(path: &Path) -> Result<Fingerprint> {
    Fingerprint::of(path).with_context(|| format!("cannot read {}", configuration::shown(path)))
}

/// Finds the links that agents lack of a skill that is on disk, and asks whether it is to be had. What is in the way stays.
///
/// A skill that was not accepted here is looked at even if there is nothing to link: agents see it where it is.
pub(super) fn plan_links(
    session: &Session<'_>,
    name: &SkillName,
    agents: &[&'static Agent],
    is_accepted: bool,
    accepts: impl FnOnce(&SkillOnDisk) -> Result<bool>,
) -> Result<LinkPlan> {
    let user = session.user_home();
    let mut directories = session.place.linked_directories(agents, &user);
    let lacks = |directory: &AgentDirectory| {
        fs::symlink_metadata(directory.path.join(name.as_str())).is_err()
    };
    directories.retain(lacks);
    if directories.is_empty() && is_accepted {
        return Ok(LinkPlan::Nothing);
    }
    let skill = session.place.skills().join(name.as_str());
    let plugin = plugin_files_in(&skill);
    if !plugin.is_empty() {
        return Ok(LinkPlan::Plugin(plugin));
    }
    let read = PackageTree::read_directory(&skill);
    let (tree, unread) = read.with_context(|| format!("cannot read `{name}`"))?;
    let on_disk = SkillOnDisk {
        tree: tree.into(),
        unread,
    };
    if !accepts(&on_disk)? {
        return Ok(LinkPlan::Refused);
    }
    let tree = on_disk.tree;
    Ok(LinkPlan::Links(MissingLinks { directories, tree }))
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
fn is_unsupported(error: &TransactionError) -> bool {
    use rustix::io::Errno;
    let TransactionError::Io(error) = error else {
        return false;
    };
    matches!(
        Errno::from_io_error(error),
        Some(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS)
    )
}
