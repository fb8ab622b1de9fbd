//! Changes of several directories that happen together or not at all, also if the process is killed.
//!
//! Each new file, link or directory is written beside its target, under a temporary name. Then a journal is written that
//! names every step, with the digests of what is replaced and of what replaces it; from there on, the changes are made, by
//! this process or by the next one. What others changed meanwhile is never replaced: then all steps are undone.
//! A journal is a file of the user's data directory: no project can bring one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{
    Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt,
};
use prowess_sources::beneath::{Missing, open_real};
use rustix::fs::{FlockOperation, flock, symlinkat};
use rustix::io::Errno;

use crate::data_files::create_private;
use crate::fingerprint::Fingerprint;
use crate::journal::{Journal, Phase, journal_path};
use crate::recovery::{Recovery, RecoveryOutcome, clean, discard, recover, undo};
use crate::step::Step;
use crate::transaction_error::TransactionError;
use crate::tree::PackageTree;
use crate::unsynced::UnsyncedFiles;

/// What a name is to hold.
pub enum Content<'c> {
    /// A directory with these files.
    Tree(&'c PackageTree),
    /// A symbolic link.
    Link(&'c Path),
    /// A file.
    File(&'c [u8]),
}

impl Content<'_> {
    /// What a name holds that this was written to.
    pub fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Tree(tree) => Fingerprint::of_tree(tree),
            Self::Link(target) => Fingerprint::of_link(target),
            Self::File(bytes) => Fingerprint::of_file(bytes),
        }
    }
}

/// Changes of one place. It is locked until this value is dropped.
pub struct Transaction {
    /// The directory that is locked.
    _lock: OwnedFd,
    /// Where every change must be; anywhere without it.
    within: Option<Vec<PathBuf>>,
    path: PathBuf,
    journal: Journal,
    recovery: Option<Recovery>,
    unsynced: UnsyncedFiles,
    /// The directory of the last change: most are in the same one.
    last: Option<OpenedDirectory>,
    committed: bool,
}

/// A directory under the name by which it was asked for.
#[derive(Clone)]
struct OpenedDirectory {
    asked: PathBuf,
    handle: Arc<OwnedFd>,
    real: PathBuf,
}

impl Transaction {
    /// Locks a place, and finishes or undoes what a killed process began. `waiting` is called if another process has the
    /// lock.
    ///
    /// `directory` is where the lock is held, `journals` a directory of the user. With `within`, a directory that is a
    /// link to somewhere else is refused.
    pub fn begin(
        directory: &Path,
        within: Option<&Path>,
        journals: &Path,
        waiting: impl FnOnce(),
    ) -> io::Result<Self> {
        let within = within.map(|path| vec![path.to_owned()]);
        let (lock, real) = open_real(directory, within.as_deref(), Missing::Make)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            waiting();
            flock(&lock, FlockOperation::LockExclusive)?;
        }
        let path = journal_path(&real, journals);
        let recovery = recover(&path)?;
        Ok(Self {
            _lock: lock,
            within,
            path,
            journal: Journal::new(),
            recovery,
            unsynced: UnsyncedFiles::default(),
            last: None,
            committed: false,
        })
    }

    /// What was done about a killed process, once.
    pub fn take_recovery(&mut self) -> Option<Recovery> {
        self.recovery.take()
    }

    /// Writes the new content of a name beside it, in place of what it held when the caller looked.
    pub fn put(
        &mut self,
        directory: &Path,
        name: &str,
        content: &Content<'_>,
        before: &Fingerprint,
    ) -> Result<(), TransactionError> {
        let within = self.within.clone();
        let opened = self.open(directory, within.as_deref(), Missing::Make)?;
        self.stage(opened, name, content, Some(before))
    }

    /// Writes a file of the user's data directory, whatever it held.
    pub fn put_data(
        &mut self,
        directory: &Path,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), TransactionError> {
        create_private(directory)?;
        let opened = self.open(directory, None, Missing::Fail)?;
        self.stage(opened, name, &Content::File(bytes), None)
    }

    fn open(
        &mut self,
        directory: &Path,
        within: Option<&[PathBuf]>,
        missing: Missing,
    ) -> io::Result<OpenedDirectory> {
        if let Some(last) = self.last.as_ref().filter(|last| last.asked == directory) {
            return Ok(last.clone());
        }
        let (handle, real) = open_real(directory, within, missing)?;
        let opened = OpenedDirectory {
            asked: directory.to_owned(),
            handle: Arc::new(handle),
            real,
        };
        self.last = Some(opened.clone());
        Ok(opened)
    }

    fn stage(
        &mut self,
        opened: OpenedDirectory,
        name: &str,
        content: &Content<'_>,
        before: Option<&Fingerprint>,
    ) -> Result<(), TransactionError> {
        let (handle, directory) = (opened.handle, opened.real);
        let old = Fingerprint::at(&handle, name.as_bytes())?;
        if before.is_some_and(|before| *before != old) {
            return Err(TransactionError::Changed(directory.join(name)));
        }
        if !self.journal.directories.contains(&directory) {
            self.journal.directories.push(directory.clone());
            // So that it is found if this process is killed.
            self.announce()?;
        }
        let staged = self.journal.next_name();
        stage(&handle, &staged, name, content, &mut self.unsynced)?;
        self.journal.steps.push(Step {
            directory,
            name: name.to_owned(),
            staged,
            old,
            new: content.fingerprint(),
        });
        Ok(())
    }

    /// Writes down where something is about to be written.
    fn announce(&self) -> io::Result<()> {
        let journal = Journal {
            id: self.journal.id.clone(),
            phase: Phase::Staging,
            directories: self.journal.directories.clone(),
            steps: Vec::new(),
        };
        journal.write(&self.path)
    }

    /// Removes a name, if it still holds what the caller saw; what does not exist is not an error.
    pub fn remove(
        &mut self,
        directory: &Path,
        name: &str,
        before: &Fingerprint,
    ) -> Result<(), TransactionError> {
        let within = self.within.clone();
        self.remove_in(directory, name, Some(before), within.as_deref())
    }

    /// Removes a file of the user's data directory.
    pub fn remove_data(&mut self, directory: &Path, name: &str) -> Result<(), TransactionError> {
        self.remove_in(directory, name, None, None)
    }

    fn remove_in(
        &mut self,
        directory: &Path,
        name: &str,
        before: Option<&Fingerprint>,
        within: Option<&[PathBuf]>,
    ) -> Result<(), TransactionError> {
        let opened = match self.open(directory, within, Missing::Fail) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let (handle, directory) = (opened.handle, opened.real);
        let old = Fingerprint::at(&handle, name.as_bytes())?;
        if before.is_some_and(|before| *before != old) {
            return Err(TransactionError::Changed(directory.join(name)));
        }
        if old == Fingerprint::Absent {
            return Ok(());
        }
        self.journal.steps.push(Step {
            directory,
            name: name.to_owned(),
            staged: self.journal.next_name(),
            old,
            new: Fingerprint::Absent,
        });
        Ok(())
    }

    /// Makes the changes. Returns where something was moved to that a person wrote in the last moment.
    pub fn commit(mut self) -> Result<Vec<PathBuf>, TransactionError> {
        if self.journal.steps.is_empty() {
            return Ok(Vec::new());
        }
        self.unsynced.sync()?;
        self.journal.phase = Phase::Changing;
        self.journal.write(&self.path)?;
        self.committed = true;
        if let Err(error) = apply_all(&self.journal.steps) {
            return Err(self.take_back(error));
        }
        self.journal.phase = Phase::Cleaning;
        // Without it, the next process sees from the digests that everything was made. Removing makes room on a full disk.
        let _ = self.journal.write(&self.path);
        // The changes are made. What cannot be removed now is removed by the next command, which finds the journal.
        let Ok(kept) = clean(&self.journal.steps) else {
            return Ok(Vec::new());
        };
        fs::remove_file(&self.path)?;
        Ok(kept)
    }

    /// Undoes everything: what is reported as failed must not be done by a later command.
    fn take_back(&mut self, error: TransactionError) -> TransactionError {
        self.journal.phase = Phase::Undoing;
        // If neither this nor the undoing works, the next command says what became of it.
        let _ = self.journal.write(&self.path);
        let Ok(undone) = undo(&self.journal.steps, Vec::new()) else {
            return error;
        };
        if let Err(error) = fs::remove_file(&self.path) {
            return error.into();
        }
        match undone.outcome {
            RecoveryOutcome::Incomplete(mut paths) => {
                paths.extend(undone.kept);
                TransactionError::Incomplete(paths)
            }
            _ if !undone.kept.is_empty() => TransactionError::Incomplete(undone.kept),
            _ => error,
        }
    }
}

/// Without a commit nothing changes.
impl Drop for Transaction {
    fn drop(&mut self) {
        // What cannot be removed now is found through the journal.
        if !self.committed && !self.journal.directories.is_empty() && discard(&self.journal).is_ok()
        {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes every change, and waits until the names are on disk.
fn apply_all(steps: &[Step]) -> Result<(), TransactionError> {
    let mut synced: Vec<&Path> = Vec::new();
    let mut last = None;
    for step in steps {
        let Some(open) = step.open_after(&mut last)? else {
            return Err(TransactionError::Changed(step.path()));
        };
        open.apply().map_err(|error| match error {
            TransactionError::Io(error) => {
                let path = step.path();
                io::Error::other(format!("cannot change {}: {error}", path.display())).into()
            }
            other => other,
        })?;
    }
    for step in steps {
        if !synced.contains(&&*step.directory) {
            synced.push(&step.directory);
            if let Some(open) = step.open()? {
                open.sync()?;
            }
        }
    }
    Ok(())
}

/// Writes content under a temporary name. Files have the mode of those that they replace in `old`.
fn stage(
    handle: &OwnedFd,
    name: &str,
    old: &str,
    content: &Content<'_>,
    unsynced: &mut UnsyncedFiles,
) -> io::Result<()> {
    let directory =
        || -> io::Result<Dir> { Ok(Dir::from_std_file(File::from(handle.try_clone()?))) };
    match content {
        Content::Link(target) => Ok(symlinkat(*target, handle, name)?),
        Content::File(bytes) => {
            let above = directory()?;
            let mode = mode_of(&above, old);
            unsynced.add(write(
                &above,
                name,
                bytes,
                Bits {
                    executable: false,
                    mode,
                },
            )?)
        }
        Content::Tree(tree) => {
            let above = directory()?;
            make_directory(&above, name)?;
            let root = above.open_dir(name)?;
            let before = above.open_dir(old).ok();
            let mut made = "";
            for (path, file) in tree.files() {
                let path = path.as_str();
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                if !parent.is_empty() && parent != made {
                    make_directories(&root, parent)?;
                    made = parent;
                }
                let bits = Bits {
                    executable: file.executable,
                    mode: before.as_ref().and_then(|before| mode_of(before, path)),
                };
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

/// What decides about the mode of a new file.
#[derive(Clone, Copy)]
struct Bits {
    executable: bool,
    /// That of the file it replaces.
    mode: Option<u32>,
}

/// The mode of a regular file.
fn mode_of(directory: &Dir, path: &str) -> Option<u32> {
    let found = directory.symlink_metadata(path).ok()?;
    found.is_file().then(|| found.permissions().mode())
}

fn write(root: &Dir, path: &str, bytes: &[u8], bits: Bits) -> io::Result<File> {
    let all = if bits.executable { 0o777 } else { 0o666 };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(all);
    let mut file = root.open_with(path, &options)?;
    if let Some(mode) = bits.mode {
        // Who may read it may run it.
        let run = if bits.executable {
            (mode & 0o444) >> 2
        } else {
            0
        };
        file.set_permissions(Permissions::from_mode(mode & 0o666 | run))?;
    }
    file.write_all(bytes)?;
    Ok(file.into_std())
}
