//! Changes of several directories that happen together or not at all, also if the process is killed.
//!
//! Each new file, link or directory is written beside its target, under a temporary name. Then a journal is written that
//! names every step; from there on, the changes are made, by this process or by the next one. A journal is a file of the
//! user's data directory: no project can bring one. Its steps are recognised by inode, so that none is done twice.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt};
use prowess_sources::beneath::{Missing, open_real};
use rustix::fs::{AtFlags, FlockOperation, RenameFlags, flock, renameat_with, statat, symlinkat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::store::create_private;
use crate::tree::PackageTree;
use crate::unsynced::UnsyncedFiles;

/// The beginning of temporary names.
const STAGED: &str = ".prowess-staged-";

/// What a name is to hold.
pub enum Content<'c> {
    /// A directory with these files.
    Tree(&'c PackageTree),
    /// A symbolic link.
    Link(&'c Path),
    /// A file.
    File(&'c [u8]),
}

/// Changes of one place. It is locked until this value is dropped.
pub struct Transaction {
    /// The directory that is locked.
    _lock: OwnedFd,
    /// Where every change must be; anywhere without it.
    within: Option<Vec<PathBuf>>,
    journal: PathBuf,
    /// Where something is written under a temporary name.
    directories: Vec<PathBuf>,
    steps: Vec<Step>,
    unsynced: UnsyncedFiles,
    committed: bool,
}

/// The content of a journal file.
#[derive(Serialize, Deserialize)]
enum Journal {
    /// New content is being written in these directories; none of it counts.
    Staging(Vec<PathBuf>),
    /// These changes are being made.
    Changing(Vec<Step>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Step {
    directory: PathBuf,
    name: String,
    /// The temporary name: of the new content, and then of the old.
    staged: String,
    /// The inode of the new content; none for a removal.
    new: Option<u64>,
    /// The inode of what was there.
    old: Option<u64>,
}

impl Transaction {
    /// Locks a place, and finishes what a killed process began. `waiting` is called if another process has the lock.
    ///
    /// `directory` is where the lock is held, `journals` a directory of the user. With `within`, a directory that is a
    /// link to somewhere else is refused.
    pub fn begin(
        directory: &Path,
        within: Option<&Path>,
        journals: &Path,
        waiting: impl FnOnce(),
    ) -> io::Result<Self> {
        let within = within.map(|it| vec![it.to_owned()]);
        let (lock, real) = open_real(directory, within.as_deref(), Missing::Make)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            waiting();
            flock(&lock, FlockOperation::LockExclusive)?;
        }
        let journal = journal_path(&real, journals);
        recover(&journal)?;
        Ok(Self {
            _lock: lock,
            within,
            journal,
            directories: Vec::new(),
            steps: Vec::new(),
            unsynced: UnsyncedFiles::default(),
            committed: false,
        })
    }

    /// Writes the new content of a name beside it.
    pub fn put(&mut self, directory: &Path, name: &str, content: &Content<'_>) -> io::Result<()> {
        let (handle, directory) = open_real(directory, self.within.as_deref(), Missing::Make)?;
        if !self.directories.contains(&directory) {
            self.directories.push(directory.clone());
            self.announce()?;
        }
        let staged = format!("{STAGED}{}", self.steps.len());
        // Before it is filled, so that a failure leaves nothing.
        self.steps.push(Step {
            directory,
            name: name.to_owned(),
            staged: staged.clone(),
            new: Some(0),
            old: inode(&handle, name),
        });
        stage(&handle, &staged, content, &mut self.unsynced)?;
        if let Some(step) = self.steps.last_mut() {
            step.new = inode(&handle, &staged);
        }
        Ok(())
    }

    /// Writes down where something is about to be written, so that it is found if this process is killed.
    fn announce(&self) -> io::Result<()> {
        write_journal(&self.journal, &Journal::Staging(self.directories.clone()))
    }

    /// Removes a name; what does not exist is not an error.
    pub fn remove(&mut self, directory: &Path, name: &str) -> io::Result<()> {
        let (handle, directory) = match open_real(directory, self.within.as_deref(), Missing::Fail)
        {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let Some(old) = inode(&handle, name) else {
            return Ok(());
        };
        self.steps.push(Step {
            directory,
            name: name.to_owned(),
            staged: format!("{STAGED}{}", self.steps.len()),
            new: None,
            old: Some(old),
        });
        Ok(())
    }

    /// Makes the changes.
    pub fn commit(mut self) -> io::Result<()> {
        if self.steps.is_empty() {
            return Ok(());
        }
        let steps = mem::take(&mut self.steps);
        let journal = Journal::Changing(steps);
        self.unsynced.sync()?;
        write_journal(&self.journal, &journal)?;
        self.committed = true;
        let Journal::Changing(steps) = &journal else {
            return Ok(());
        };
        if let Err(error) = apply_all(steps) {
            // What is reported as failed must not be done by a later command.
            if steps.iter().rev().all(|step| undo(step).is_ok()) {
                self.committed = false;
                fs::remove_file(&self.journal)?;
            }
            return Err(error);
        }
        clean_up(&self.journal, steps)
    }
}

/// Without a commit nothing changes.
impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.committed && !self.directories.is_empty() {
            clean(&self.directories);
            let _ = fs::remove_file(&self.journal);
        }
    }
}

/// Whether a killed process left changes of a place half made.
pub fn is_interrupted(directory: &Path, journals: &Path) -> bool {
    let real = fs::canonicalize(directory);
    real.is_ok_and(|real| journal_path(&real, journals).exists())
}

/// The journal of a place.
fn journal_path(real: &Path, journals: &Path) -> PathBuf {
    let name = prowess_net::short_digest([&*real.to_string_lossy()]);
    journals.join(format!("{name}.json"))
}

fn recover(journal: &Path) -> io::Result<()> {
    let mut text = Vec::new();
    match File::open(journal) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?.read_to_end(&mut text)?,
    };
    finish(journal, &serde_json::from_slice(&text)?)
}

fn write_journal(path: &Path, journal: &Journal) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    create_private(directory)?;
    // Under the lock of the place, no other process writes it.
    let new = path.with_extension("new");
    let write = || -> io::Result<()> {
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(journal)?)?;
        if let Journal::Changing(_) = journal {
            file.sync_all()?;
        }
        fs::rename(&new, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// Finishes what a journal says.
fn finish(path: &Path, journal: &Journal) -> io::Result<()> {
    let steps = match journal {
        Journal::Staging(directories) => {
            clean(directories);
            return fs::remove_file(path);
        }
        Journal::Changing(steps) => steps,
    };
    apply_all(steps)?;
    clean_up(path, steps)
}

/// Makes every change that is not made yet.
fn apply_all(steps: &[Step]) -> io::Result<()> {
    for step in steps {
        apply(step).map_err(|error| {
            let path = step.directory.join(&step.name);
            io::Error::other(format!("cannot change {}: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// Removes what is left of the old content, and then the journal.
fn clean_up(path: &Path, steps: &[Step]) -> io::Result<()> {
    let mut directories: Vec<PathBuf> = steps.iter().map(|it| it.directory.clone()).collect();
    directories.dedup();
    // From here on nothing is left to do but to clean up, which also makes room on a full disk.
    let _ = write_journal(path, &Journal::Staging(directories.clone()));
    clean(&directories);
    fs::remove_file(path)
}

fn apply(step: &Step) -> io::Result<()> {
    let (handle, _) = match open_real(&step.directory, None, Missing::Fail) {
        // Someone removed it all meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let (name, staged) = (step.name.as_str(), step.staged.as_str());
    let found = inode(&handle, name);
    let rename = |from: &str, to: &str, flags| renameat_with(&handle, from, &handle, to, flags);
    match step.new {
        None if found.is_some() && found == step.old => {
            Ok(rename(name, staged, RenameFlags::NOREPLACE)?)
        }
        Some(new) if found != Some(new) && inode(&handle, staged) == Some(new) => {
            if found.is_none() {
                return Ok(rename(staged, name, RenameFlags::NOREPLACE)?);
            }
            match rename(name, staged, RenameFlags::EXCHANGE) {
                // File systems that cannot exchange.
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                    rename(name, &format!("{staged}-old"), RenameFlags::empty())?;
                    Ok(rename(staged, name, RenameFlags::empty())?)
                }
                exchanged => Ok(exchanged?),
            }
        }
        _ => Ok(()),
    }
}

/// Restores what was there before a step, whether it was made or not.
fn undo(step: &Step) -> io::Result<()> {
    let (handle, _) = open_real(&step.directory, None, Missing::Fail)?;
    let (name, staged) = (step.name.as_str(), step.staged.as_str());
    let rename = |from: &str, to: &str| -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        Ok(renameat_with(&handle, from, &handle, to, flags)?)
    };
    if inode(&handle, name) == step.old {
        return Ok(());
    }
    // The old content has the temporary name, or one like it while the new content is moved out of its way.
    let aside = format!("{staged}-old");
    if step.old.is_some() && inode(&handle, staged) == step.old {
        rename(staged, &aside)?;
    }
    if inode(&handle, name).is_some() {
        rename(name, staged)?;
    }
    match step.old {
        Some(_) => rename(&aside, name),
        None => Ok(()),
    }
}

/// Removes temporary names; what cannot be removed is found by the next run.
fn clean(directories: &[PathBuf]) {
    for directory in directories {
        if let Ok((handle, _)) = open_real(directory, None, Missing::Fail) {
            let _ = remove_staged(&handle);
        }
    }
}

/// Removes every temporary name of a directory: under the lock, no other process has one.
fn remove_staged(handle: &OwnedFd) -> io::Result<()> {
    let directory = Dir::from_std_file(File::from(handle.try_clone()?));
    for entry in directory.entries()? {
        let name = entry?.file_name();
        if name.to_string_lossy().starts_with(STAGED) {
            let metadata = directory.symlink_metadata(&name)?;
            if metadata.is_dir() {
                directory.remove_dir_all(&name)?;
            } else {
                directory.remove_file(&name)?;
            }
        }
    }
    Ok(())
}

/// The temporary names in a directory that a killed process left.
pub fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let staged = entries.filter(|it| it.file_name().to_string_lossy().starts_with(STAGED));
    staged.map(|it| it.path()).collect()
}

fn inode(directory: &OwnedFd, name: &str) -> Option<u64> {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(found.st_ino)
}

fn stage(
    handle: &OwnedFd,
    name: &str,
    content: &Content<'_>,
    unsynced: &mut UnsyncedFiles,
) -> io::Result<()> {
    let directory =
        || -> io::Result<Dir> { Ok(Dir::from_std_file(File::from(handle.try_clone()?))) };
    match content {
        Content::Link(target) => Ok(symlinkat(*target, handle, name)?),
        Content::File(bytes) => unsynced.add(write(&directory()?, name, bytes, 0o666)?),
        Content::Tree(tree) => {
            let above = directory()?;
            make_directory(&above, name)?;
            let root = above.open_dir(name)?;
            let mut made = "";
            for (path, file) in tree.files() {
                let path = path.as_str();
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                if !parent.is_empty() && parent != made {
                    make_directories(&root, parent)?;
                    made = parent;
                }
                let bits = if file.executable { 0o777 } else { 0o666 };
                unsynced.add(write(&root, path, &file.bytes, bits)?)?;
            }
            Ok(())
        }
    }
}

fn make_directories(root: &Dir, path: &str) -> io::Result<()> {
    let mut end = 0;
    for part in path.split('/') {
        end += part.len() + usize::from(end > 0);
        match make_directory(root, path.get(..end).unwrap_or(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

fn make_directory(root: &Dir, path: &str) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.mode(0o777);
    root.create_dir_with(path, &builder)
}

fn write(root: &Dir, path: &str, bytes: &[u8], mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let mut file = root.open_with(path, &options)?;
    file.write_all(bytes)?;
    Ok(file.into_std())
}
