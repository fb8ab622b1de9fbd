//! The counters so far, and the remaining limits.

use std::io::{self, Read};

use crc32fast::Hasher;
use prowess_spec::SkillPath;

use crate::entry::{ArchiveEntry, EntryKind, Member};
use crate::error::Error;
use crate::limits::Limits;
use crate::names::Names;
use crate::problem::Within;
use crate::shown::Shown;

/// A callback for an entry and its content.
pub(crate) type Visit<'a> = dyn FnMut(&ArchiveEntry, &mut dyn Read) -> io::Result<()> + 'a;

/// The location of the content of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContentLocation {
    /// As it is, from this byte of the archive on.
    Stored(u64),
    /// Deflated: from this offset of the archive, this number of bytes.
    Deflated(u64, u64),
    /// From this byte on of what the gzip stream unpacks to.
    Unpacked(u64),
    /// Nowhere: it has none.
    None,
}

/// A member and the location of its content.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) member: Member,
    pub(crate) location: ContentLocation,
}

/// The limits of one archive, counted in bytes that were actually unpacked.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) limits: Limits,
    pub(crate) names: Names,
    pub(crate) stored: Vec<Stored>,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
    /// The length of the archive itself.
    packed: u64,
}

/// The declared properties of a content.
pub(crate) struct Declared {
    /// Its bytes.
    pub(crate) size: u64,
    /// Its bytes in the archive, where that is known for each entry.
    pub(crate) packed: Option<u64>,
}

/// The actual properties of a content.
pub(crate) struct Real {
    pub(crate) size: u64,
    pub(crate) crc: u32,
}

impl Ledger {
    pub(crate) fn new(limits: Limits, packed: u64) -> Self {
        Self {
            limits,
            names: Names::new(),
            stored: Vec::new(),
            entries: 0,
            bytes: 0,
            packed,
        }
    }

    /// Counts an entry, of whatever kind.
    pub(crate) fn count_entry(&mut self) -> Result<(), Error> {
        self.entries = self.entries.saturating_add(1);
        let limit = self.limits.entries;
        if self.entries > limit {
            return Err(Error::TooManyEntries { limit });
        }
        Ok(())
    }

    /// Takes the name of an entry, which [`Ledger::keep`] must follow.
    pub(crate) fn claim(&mut self, entry: &ArchiveEntry) -> Result<(), Error> {
        self.names.add(&entry.path, &entry.kind, self.stored.len())
    }

    pub(crate) fn keep(&mut self, entry: ArchiveEntry, size: u64, location: ContentLocation) {
        let member = Member { entry, size };
        self.stored.push(Stored { member, location });
    }

    /// The file that a hard link names: its first name, its size and its location.
    pub(crate) fn file(&self, path: &SkillPath) -> Option<(SkillPath, u64, ContentLocation)> {
        let stored = self.stored.get(self.names.member(path)?)?;
        let first = match &stored.member.entry.kind {
            EntryKind::File(_) => path.clone(),
            EntryKind::HardLink(first) => first.clone(),
            EntryKind::Directory | EntryKind::Symlink(_) => return None,
        };
        Some((first, stored.member.size, stored.location))
    }

    /// Counts bytes that appear again without being read.
    pub(crate) fn count_copy(&mut self, path: &SkillPath, size: u64) -> Result<(), Error> {
        let declared = Declared { size, packed: None };
        if size > self.bound(&declared) {
            return Err(self.excess(path, &declared, size));
        }
        self.bytes = self.bytes.saturating_add(size);
        Ok(())
    }

    /// Offers a content to the caller, then reads what the caller left, and counts all of it.
    pub(crate) fn offer(
        &mut self,
        entry: &ArchiveEntry,
        declared: &Declared,
        source: &mut dyn Read,
        visit: &mut Visit<'_>,
    ) -> Result<Real, Error> {
        let mut content = Content {
            source,
            ledger: self,
            path: &entry.path,
            declared,
            bound: self.bound(declared),
            read: 0,
            crc: Hasher::new(),
            failure: None,
        };
        let visited = visit(entry, &mut content);
        // Errors of the archive take precedence over those of the caller.
        if let Some(failure) = content.failure {
            return Err(failure);
        }
        visited.map_err(|source| Error::Visit {
            path: entry.path.clone(),
            source,
        })?;
        let drained = io::copy(&mut content, &mut io::sink());
        if let Some(failure) = content.failure {
            return Err(failure);
        }
        drained.map_err(Error::Read)?;
        let (size, crc) = (content.read, content.crc.finalize());
        self.bytes = self.bytes.saturating_add(size);
        Ok(Real { size, crc })
    }

    /// The maximum size of a content.
    fn bound(&self, declared: &Declared) -> u64 {
        let limits = &self.limits;
        let alone = declared.packed.map_or(u64::MAX, |it| limits.unpacked(it));
        let rest = |limit: u64| limit.saturating_sub(self.bytes);
        declared
            .size
            .min(limits.file_bytes)
            .min(rest(limits.total_bytes))
            .min(rest(limits.unpacked(self.packed)))
            .min(alone)
    }

    /// Which limit a content of this size is over.
    fn excess(&self, path: &SkillPath, declared: &Declared, size: u64) -> Error {
        let limits = &self.limits;
        let name = Shown::new(path.as_str());
        let total = self.bytes.saturating_add(size);
        let alone = declared.packed.map_or(u64::MAX, |it| limits.unpacked(it));
        if size > limits.file_bytes {
            let limit = limits.file_bytes;
            Error::FileTooLarge { name, limit }
        } else if total > limits.total_bytes {
            let limit = limits.total_bytes;
            Error::TotalTooLarge { limit }
        } else if size > alone || total > limits.unpacked(self.packed) {
            let limit = limits.ratio;
            Error::Ratio { name, limit }
        } else {
            Error::Size {
                name,
                declared: declared.size,
                real: size,
            }
        }
    }
}

/// The content of one file, bounded and counted.
struct Content<'a> {
    source: &'a mut dyn Read,
    ledger: &'a Ledger,
    path: &'a SkillPath,
    declared: &'a Declared,
    bound: u64,
    read: u64,
    crc: Hasher,
    failure: Option<Error>,
}

impl Content<'_> {
    fn fail(&mut self, error: Error) -> io::Error {
        let told = io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        self.failure = Some(error);
        told
    }
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(failure) = &self.failure {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                failure.to_string(),
            ));
        }
        // Reads one byte more than allowed, to detect a longer content.
        let left = self.bound.saturating_sub(self.read);
        let most = usize::try_from(left.saturating_add(1)).unwrap_or(usize::MAX);
        let length = buffer.len().min(most);
        let Some(buffer) = buffer.get_mut(..length) else {
            return Ok(0);
        };
        let read = match self.source.read(buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                let error = broken(error, self.path.as_str());
                return Err(self.fail(error));
            }
        };
        let total = self.read.saturating_add(read as u64);
        if total > self.bound {
            let error = self.ledger.excess(self.path, self.declared, total);
            return Err(self.fail(error));
        }
        self.read = total;
        self.crc.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// Maps an error of a decompressor.
fn broken(error: io::Error, name: &str) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated {
            within: Within::Content,
        },
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Error::content(name, "invalid compressed data")
        }
        _ => Error::Read(error),
    }
}
