//! One change of a transaction: what a name held, what it will hold, and how the two change places.
//!
//! The new content lies beside the name under a temporary name. The two are exchanged, and what came out is compared with
//! what was to be replaced; if it differs, they are exchanged back. Nothing is ever removed that was not compared before.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use cap_std::fs::Dir;
use prowess_sources::beneath::{Missing, open_real};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, fsync, openat, renameat_with, statat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::copy_aside::{copy_aside, is_part_of};
use crate::fingerprint::Fingerprint;
use crate::transaction_error::TransactionError;

/// The beginning of temporary names.
pub(crate) const STAGED: &str = ".prowess-staged-";

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) directory: PathBuf,
    pub(crate) name: String,
    /// The temporary name of the new content, and of the old once they were exchanged.
    pub(crate) staged: String,
    /// What is to be replaced.
    pub(crate) old: Fingerprint,
    /// What replaces it; [`Fingerprint::Absent`] for a removal.
    pub(crate) new: Fingerprint,
}

/// How far a step is, as the disk shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing was changed, and it can be done.
    Ready,
    /// The old content was copied, and a part of it may be removed from its name.
    Half,
    /// It was done, and the old content is still there.
    Done,
    /// It was done, and there is no old content.
    Final,
    /// It was done over something else than what was to be replaced.
    DoneOverChange,
    /// It was not done, and the new content is gone.
    Lost,
    /// Something else is there.
    Blocked,
}

/// What undoing a step led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// The name holds what it held before, or what a person wrote there since.
    Yes,
    /// The name holds the new content, or what a person made of it.
    No,
    /// A person changed the name while the old content was a copy, which was moved here.
    Kept(PathBuf),
}

/// A step with its directory open.
pub(crate) struct OpenStep<'s> {
    step: &'s Step,
    handle: Arc<OwnedFd>,
}

impl Step {
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }

    /// `None` if the directory is gone, and everything in it.
    pub(crate) fn open(&self) -> io::Result<Option<OpenStep<'_>>> {
        self.open_after(&mut None)
    }

    /// The same after another step, which most often is in the same directory.
    pub(crate) fn open_after(
        &self,
        last: &mut Option<(PathBuf, Arc<OwnedFd>)>,
    ) -> io::Result<Option<OpenStep<'_>>> {
        let known = last.as_ref().filter(|(path, _)| *path == self.directory);
        let handle = if let Some((_, handle)) = known {
            Arc::clone(handle)
        } else {
            match open_real(&self.directory, None, Missing::Fail) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                opened => Arc::new(opened?.0),
            }
        };
        *last = Some((self.directory.clone(), Arc::clone(&handle)));
        Ok(Some(OpenStep { step: self, handle }))
    }
}

impl OpenStep<'_> {
    fn at(&self, name: &str) -> io::Result<Fingerprint> {
        Fingerprint::at(&self.handle, name.as_bytes())
    }

    fn exists(&self, name: &str) -> bool {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// The temporary name of the old content where it was not exchanged.
    fn aside(&self) -> String {
        format!("{}-old", self.step.staged)
    }

    /// The temporary name of the new content while a step is undone where it cannot be exchanged.
    fn taken_back(&self) -> String {
        format!("{}-back", self.step.staged)
    }

    /// The temporary name of a file that is copied.
    fn part(&self) -> String {
        format!("{}-part", self.step.staged)
    }

    /// The temporary name of what was compared and may be removed; a file, if that is all of this step.
    fn discarded(&self) -> String {
        format!("{}-gone", self.step.staged)
    }

    fn rename(&self, from: &str, to: &str) -> rustix::io::Result<()> {
        renameat_with(&self.handle, from, &self.handle, to, RenameFlags::NOREPLACE)
    }

    fn exchange(&self, one: &str, other: &str) -> rustix::io::Result<()> {
        renameat_with(
            &self.handle,
            one,
            &self.handle,
            other,
            RenameFlags::EXCHANGE,
        )
    }

    /// Renames, or copies what cannot be renamed.
    fn rename_or_copy(&self, from: &str, to: &str) -> io::Result<()> {
        match self.rename(from, to) {
            Err(Errno::XDEV) => copy_aside(&self.handle, from, to, &self.part()),
            renamed => Ok(renamed?),
        }
    }

    /// Whether a name holds nothing but files of the old content, which is aside, or of the new one.
    fn is_half(&self) -> io::Result<bool> {
        let name = &self.step.name;
        Ok(is_part_of(&self.handle, name, &self.aside())?
            || is_part_of(&self.handle, name, &self.step.staged)?)
    }

    fn changed(&self) -> TransactionError {
        TransactionError::Changed(self.step.path())
    }

    /// Makes the change, or leaves everything as it was.
    pub(crate) fn apply(&self) -> Result<(), TransactionError> {
        let Step {
            name, staged, old, ..
        } = self.step;
        if *old == Fingerprint::Absent {
            return match self.rename(staged, name) {
                Err(Errno::EXIST) => Err(self.changed()),
                made => Ok(made?),
            };
        }
        let is_removal = self.step.new == Fingerprint::Absent;
        let moved = if is_removal {
            self.rename(name, staged)
        } else {
            self.exchange(name, staged)
        };
        match moved {
            Ok(()) => {}
            Err(Errno::NOENT) if !self.exists(name) => return Err(self.changed()),
            // File systems that cannot exchange.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return self.apply_in_two(),
            // A directory of a lower layer of an overlay cannot be renamed.
            Err(Errno::XDEV) => return self.apply_by_copy(),
            Err(error) => return Err(error.into()),
        }
        if self.at(staged)? == *old {
            return Ok(());
        }
        if is_removal {
            self.rename(staged, name)?;
        } else {
            self.exchange(name, staged)?;
        }
        Err(self.changed())
    }

    fn apply_in_two(&self) -> Result<(), TransactionError> {
        let Step {
            name, staged, old, ..
        } = self.step;
        let aside = self.aside();
        match self.rename(name, &aside) {
            Err(Errno::XDEV) => return self.apply_by_copy(),
            renamed => renamed?,
        }
        if self.at(&aside)? != *old {
            self.rename(&aside, name)?;
            return Err(self.changed());
        }
        Ok(self.rename(staged, name)?)
    }

    /// Copies the old content aside, removes it, and puts the new content in its place.
    fn apply_by_copy(&self) -> Result<(), TransactionError> {
        let Step {
            name, staged, old, ..
        } = self.step;
        let aside = self.aside();
        if self.at(&aside)? != *old && is_part_of(&self.handle, &aside, name)? {
            self.delete(&aside)?;
            copy_aside(&self.handle, name, &aside, &self.part())?;
        }
        if self.at(&aside)? != *old || self.at(name)? != *old {
            return Err(self.changed());
        }
        self.finish_copy(name, staged)
    }

    fn finish_copy(&self, name: &str, staged: &str) -> Result<(), TransactionError> {
        if !self.is_half()? {
            return Err(self.changed());
        }
        self.delete(name)?;
        if self.step.new == Fingerprint::Absent {
            return Ok(());
        }
        Ok(self.rename_or_copy(staged, name)?)
    }

    /// How far this step is.
    pub(crate) fn progress(&self) -> io::Result<Progress> {
        let Step {
            name,
            staged,
            old,
            new,
            ..
        } = self.step;
        let (found, staged) = (self.at(name)?, self.at(staged)?);
        let aside = self.at(&self.aside())?;
        let has_old = *old != Fingerprint::Absent && (staged == *old || aside == *old);
        let is_new_ready = staged == *new;
        Ok(if found == *new && (has_old || old == new) {
            Progress::Done
        } else if found == *new && (staged == Fingerprint::Absent || is_new_ready) {
            // With the new content ready, others made the same change.
            Progress::Final
        } else if found == *new {
            Progress::DoneOverChange
        } else if found == *old && is_new_ready {
            Progress::Ready
        } else if aside == *old && is_new_ready && *old != Fingerprint::Absent && self.is_half()? {
            Progress::Half
        } else if has_old && !is_new_ready {
            // The new content was edited since.
            Progress::Done
        } else if found == *old {
            Progress::Lost
        } else {
            Progress::Blocked
        })
    }

    /// Makes a change of another process that was not finished.
    pub(crate) fn finish(&self, progress: Progress) -> Result<(), TransactionError> {
        match progress {
            Progress::Ready => self.apply(),
            Progress::Half => self.finish_copy(&self.step.name, &self.step.staged),
            Progress::Done | Progress::Final => Ok(()),
            Progress::DoneOverChange | Progress::Lost | Progress::Blocked => Err(self.changed()),
        }
    }

    /// Restores what was there, whether the change was made or not. What a person wrote since stays where it is.
    pub(crate) fn undo(&self) -> io::Result<Undone> {
        let Step {
            name,
            staged,
            old,
            new,
            ..
        } = self.step;
        let aside = self.aside();
        let found = self.at(name)?;
        let is_staged = self.at(staged)?;
        let is_aside = self.at(&aside)?;
        let holds_old = if is_aside != Fingerprint::Absent
            && (is_aside == *old || found == Fingerprint::Absent)
        {
            Some(aside.as_str())
        } else if is_staged != Fingerprint::Absent && is_staged != *new {
            // The old content, as it was or as it was edited in the last moment.
            Some(staged.as_str())
        } else {
            None
        };
        if found == *old {
            return Ok(Undone::Yes);
        }
        match holds_old {
            Some(held) if found == Fingerprint::Absent => {
                self.rename_or_copy(held, name)?;
                Ok(Undone::Yes)
            }
            Some(held) if held == aside && self.is_half()? => {
                self.delete(name)?;
                self.rename_or_copy(held, name)?;
                Ok(Undone::Yes)
            }
            Some(held) if found == *new => self.take_back(held),
            Some(held) if held == aside => Ok(Undone::Kept(self.keep(held)?)),
            // The new content was edited since.
            Some(_) => Ok(Undone::No),
            None if found == *new
                && *old == Fingerprint::Absent
                && is_staged == Fingerprint::Absent =>
            {
                self.rename(name, staged)?;
                if self.at(staged)? == *new {
                    return Ok(Undone::Yes);
                }
                self.rename(staged, name)?;
                Ok(Undone::No)
            }
            // Others made the same change.
            None if is_staged == *new && *new != Fingerprint::Absent => Ok(Undone::Yes),
            // The old content is gone.
            None if found == *new && *old != Fingerprint::Absent => Ok(Undone::No),
            // It was not done, or something else was made since.
            None => Ok(Undone::Yes),
        }
    }

    /// Exchanges the new content with the old one.
    fn take_back(&self, held: &str) -> io::Result<Undone> {
        let (name, new) = (&self.step.name, &self.step.new);
        let back = self.taken_back();
        let taken = match self.exchange(name, held) {
            // It holds the new content, which was compared just now.
            Err(Errno::XDEV) => {
                self.delete(name)?;
                self.rename_or_copy(held, name)?;
                return Ok(Undone::Yes);
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                self.rename(name, &back)?;
                self.rename(held, name)?;
                back.as_str()
            }
            exchanged => {
                exchanged?;
                held
            }
        };
        if self.at(taken)? == *new {
            return Ok(Undone::Yes);
        }
        // It was edited in the last moment.
        if taken == back {
            self.rename(name, held)?;
            self.rename(taken, name)?;
        } else {
            self.exchange(name, held)?;
        }
        Ok(Undone::No)
    }

    /// Removes what lies under the temporary names, if it is what this step wrote or replaced. Anything else is moved to a
    /// name that the user sees; returns these names.
    pub(crate) fn clean(&self) -> io::Result<Vec<PathBuf>> {
        let mut kept = Vec::new();
        let discarded = self.discarded();
        let temporaries = [self.taken_back(), self.aside(), self.step.staged.clone()];
        let is_compared = matches!(self.at(&discarded)?, Fingerprint::File(_))
            && matches!(self.step.old, Fingerprint::Directory(_));
        self.delete(&self.part())?;
        if !is_compared {
            self.delete(&discarded)?;
        }
        for temporary in temporaries {
            let found = self.at(&temporary)?;
            if found == Fingerprint::Absent {
                continue;
            }
            // A copy of the old content that was interrupted, wherever that is now.
            let is_partial_copy = temporary == self.aside()
                && (is_part_of(&self.handle, &temporary, &self.step.name)?
                    || is_part_of(&self.handle, &temporary, &self.step.staged)?);
            let is_known = found == self.step.old || found == self.step.new || is_partial_copy;
            if !is_known && !is_compared {
                kept.push(self.keep(&temporary)?);
                continue;
            }
            // After a kill, only what has this name is removed without a comparison: a part of it has another digest.
            match self.rename(&temporary, &discarded) {
                Err(Errno::XDEV | Errno::EXIST) => {
                    self.mark_compared(&discarded)?;
                    self.delete(&temporary)?;
                }
                renamed => {
                    renamed?;
                }
            }
            self.delete(&discarded)?;
        }
        self.delete(&discarded)?;
        Ok(kept)
    }

    /// Notes that what lies under a temporary name was compared, where it cannot be renamed.
    fn mark_compared(&self, mark: &str) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        openat(&self.handle, mark, flags, Mode::from_raw_mode(0o600))?;
        Ok(())
    }

    /// Moves something to a name that the user sees.
    fn keep(&self, temporary: &str) -> io::Result<PathBuf> {
        for number in 1.. {
            let visible = format!("{}.saved-{number}", self.step.name);
            match self.rename(temporary, &visible) {
                Err(Errno::EXIST) => {}
                renamed => {
                    renamed?;
                    return Ok(self.step.directory.join(visible));
                }
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        delete(&self.handle, name)
    }

    /// Waits until the names of the directory are on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(fsync(&self.handle)?)
    }
}

/// Removes a name and everything in it; what does not exist is not an error.
pub(crate) fn delete(handle: &OwnedFd, name: &str) -> io::Result<()> {
    let directory = Dir::from_std_file(File::from(handle.try_clone()?));
    let metadata = match directory.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        metadata => metadata?,
    };
    if metadata.is_dir() {
        directory.remove_dir_all(name)
    } else {
        directory.remove_file(name)
    }
}
