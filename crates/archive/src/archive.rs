//! An archive that stays packed.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::bufread::{DeflateDecoder, GzDecoder};
use prowess_spec::SkillPath;

use crate::entry::{ArchiveEntry, Member, Summary};
use crate::error::Error;
use crate::ledger::{ContentLocation, Stored};
use crate::limits::Limits;
use crate::names::Names;
use crate::problem::Within;
use crate::scan::scan;

/// A verified archive whose files are read in place.
///
/// It keeps the reader that it verified, so that what is read later is what was checked.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use prowess_archive::{Archive, Limits};
///
/// let file = std::fs::File::open("skills.zip")?;
/// let mut archive = Archive::open(file, &Limits::default(), |_entry, _content| Ok(()))?;
/// let paths: Vec<_> = archive.members().map(|member| member.entry.path.clone()).collect();
/// for path in paths {
///     let first = archive.read(&path, 0, 4096)?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Archive<R> {
    reader: R,
    summary: Summary,
    names: Names,
    stored: Vec<Stored>,
}

impl<R: Read + Seek> Archive<R> {
    /// Verifies the whole archive, as [`walk`](crate::walk) does, and keeps a list of what it holds.
    ///
    /// `visit` sees every entry and may read the beginning of files on the way, which saves a second pass. What it
    /// took is worth nothing when this fails.
    pub fn open(
        mut reader: R,
        limits: &Limits,
        mut visit: impl FnMut(&ArchiveEntry, &mut dyn Read) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let scan = scan(&mut reader, limits, &mut visit)?;
        Ok(Self {
            reader,
            summary: scan.summary,
            names: scan.names,
            stored: scan.stored,
        })
    }

    /// The totals.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The entries, in archive order.
    pub fn members(&self) -> impl ExactSizeIterator<Item = &Member> {
        self.stored.iter().map(|stored| &stored.member)
    }

    /// The entry of this very path; links are not followed.
    pub fn get(&self, path: &SkillPath) -> Option<&Member> {
        let stored = self.stored.get(self.names.member(path)?)?;
        Some(&stored.member)
    }

    /// The path that a path leads to when all links on the way are followed.
    ///
    /// `None` if the path does not exist or is the root. To confine reading to one directory of the archive, compare
    /// with this path, since links can point anywhere inside.
    pub fn resolve(&self, path: &SkillPath) -> Option<SkillPath> {
        SkillPath::parse(&self.names.resolve(path)?.path).ok()
    }

    /// At most `limit` bytes of a file, from `offset` on; links are followed.
    ///
    /// Of a zip archive only this file is inflated. Of a tar.gz archive everything before it is, each time.
    pub fn read(&mut self, path: &SkillPath, offset: u64, limit: usize) -> Result<Vec<u8>, Error> {
        let missing = || Error::NoSuchEntry(path.clone());
        let found = self.names.resolve(path).ok_or_else(missing)?;
        let stored = found.member.and_then(|member| self.stored.get(member));
        let stored = stored.ok_or_else(|| Error::NotAFile(path.clone()))?;
        let left = stored.member.size.saturating_sub(offset);
        let length = left.min(limit as u64);
        let bytes = fetch(&mut self.reader, stored.location, offset, length)
            .map_err(Error::Read)?
            .ok_or_else(|| Error::NotAFile(path.clone()))?;
        // Fewer than when it was verified: the file was changed under the reader.
        if bytes.len() as u64 != length {
            return Err(Error::Truncated {
                within: Within::Content,
            });
        }
        Ok(bytes)
    }
}

/// Reads from an offset; `None` without content.
fn fetch(
    reader: &mut (impl Read + Seek),
    location: ContentLocation,
    offset: u64,
    length: u64,
) -> io::Result<Option<Vec<u8>>> {
    let from = |reader: &mut _, start| Seek::seek(reader, SeekFrom::Start(start));
    Ok(Some(match location {
        ContentLocation::None => return Ok(None),
        ContentLocation::Stored(start) => {
            from(reader, start.saturating_add(offset))?;
            part(reader, 0, length)?
        }
        ContentLocation::Deflated(start, packed) => {
            from(reader, start)?;
            let packed = io::BufReader::new(reader.take(packed));
            part(&mut DeflateDecoder::new(packed), offset, length)?
        }
        ContentLocation::Unpacked(start) => {
            from(reader, 0)?;
            let unpacked = &mut GzDecoder::new(io::BufReader::new(reader));
            part(unpacked, start.saturating_add(offset), length)?
        }
    }))
}

fn part(reader: &mut impl Read, skip: u64, length: u64) -> io::Result<Vec<u8>> {
    io::copy(&mut reader.by_ref().take(skip), &mut io::sink())?;
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
