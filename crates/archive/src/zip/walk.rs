//! From the first byte to the last.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;
use prowess_spec::SkillPath;

use super::central::{self, Central, Looks};
use super::{DEFLATED, end, local};
use crate::entry::{ArchiveEntry, EntryKind, Mode};
use crate::error::Error;
use crate::ledger::{ContentLocation, Declared, Ledger, Real, Visit};
use crate::limits::PATH_BYTES;
use crate::name::target;
use crate::problem::ZipProblem;
use crate::shown::Shown;

const BUFFER: usize = 64 * 1024;

pub(crate) fn scan(
    reader: &mut (impl Read + Seek),
    length: u64,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let end = end::read(reader, length)?;
    let entries = list(reader, &end, ledger)?;
    reader.rewind().map_err(Error::Read)?;
    let mut archive = BufReader::with_capacity(BUFFER, reader);
    if let Some(first) = entries.first().filter(|first| first.offset != 0) {
        return Err(ZipProblem::Gap(first.shown()).into());
    }
    let mut entries = entries.into_iter().peekable();
    while let Some(central) = entries.next() {
        // Where the next one begins, this one ends.
        let next = entries.peek();
        let until = next.map_or(end.start, |next| next.offset);
        let header = local::read(&mut archive, &central)?;
        let start = central.offset.saturating_add(header);
        let stop = start.saturating_add(central.packed.into());
        let room = until.checked_sub(stop).ok_or_else(|| match next {
            Some(next) => ZipProblem::Overlap(next.shown()),
            None => ZipProblem::Directory,
        })?;
        let fits = if central.has_descriptor() {
            local::is_descriptor_length(room)
        } else {
            room == 0
        };
        if !fits {
            let problem = next.map_or(ZipProblem::Trailing, |next| ZipProblem::Gap(next.shown()));
            return Err(problem.into());
        }
        let mut packed = archive.by_ref().take(central.packed.into());
        take(&central, start, &mut packed, ledger, visit)?;
        if packed.limit() != 0 {
            let why = "data after its end";
            return Err(Error::content(&central.raw_name, why));
        }
        if room != 0 {
            local::read_descriptor(&mut archive, room, &central)?;
        }
    }
    Ok(())
}

/// Reads the list, and puts it in the order of the archive.
fn list(
    reader: &mut (impl Read + Seek),
    end: &end::End,
    ledger: &mut Ledger,
) -> Result<Vec<Central>, Error> {
    let limit = ledger.limits.entries;
    if end.entries > limit {
        return Err(Error::TooManyEntries { limit });
    }
    reader
        .seek(SeekFrom::Start(end.start))
        .map_err(Error::Read)?;
    let size = end.stop.saturating_sub(end.start);
    let mut list = BufReader::with_capacity(BUFFER, reader).take(size);
    let mut entries = Vec::new();
    for _ in 0..end.entries {
        if list.limit() == 0 {
            return Err(ZipProblem::Count(end.entries).into());
        }
        ledger.count_entry()?;
        entries.push(central::read(&mut list, ledger.limits.depth)?);
    }
    if list.limit() != 0 {
        return Err(ZipProblem::Count(end.entries).into());
    }
    entries.sort_by_key(|central| central.offset);
    Ok(entries)
}

/// Takes one entry with its content.
fn take(
    central: &Central,
    start: u64,
    packed: &mut io::Take<impl io::BufRead>,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let Some(path) = &central.name.path else {
        if central.packed != 0 {
            return Err(ZipProblem::Contradiction {
                name: central.shown(),
                field: "sizes",
            }
            .into());
        }
        return ledger.names.add_root();
    };
    let path = path.clone();
    let entry = match central.kind {
        Looks::Directory => ArchiveEntry {
            path,
            kind: EntryKind::Directory,
        },
        Looks::File(mode) => ArchiveEntry {
            path,
            kind: EntryKind::File(mode),
        },
        Looks::Symlink => link(path, central, packed, ledger)?,
    };
    ledger.claim(&entry)?;
    if central.kind == Looks::Symlink {
        let given = visit(&entry, &mut io::empty());
        given.map_err(|source| Error::Visit {
            path: entry.path.clone(),
            source,
        })?;
        ledger.keep(entry, 0, ContentLocation::None);
        return Ok(());
    }
    let real = content(central, &entry, packed, ledger, visit)?;
    let location = match (central.kind, central.method) {
        (Looks::Directory, _) => ContentLocation::None,
        (_, DEFLATED) => ContentLocation::Deflated(start, central.packed.into()),
        _ => ContentLocation::Stored(start),
    };
    ledger.keep(entry, real.size, location);
    Ok(())
}

/// The content of a link is its target.
fn link(
    path: SkillPath,
    central: &Central,
    packed: &mut io::Take<impl io::BufRead>,
    ledger: &mut Ledger,
) -> Result<ArchiveEntry, Error> {
    let mut bytes = Vec::new();
    let entry = ArchiveEntry {
        path,
        kind: EntryKind::File(Mode::Plain),
    };
    // A target is a name, and counted with the names.
    let counted = ledger.bytes;
    content(central, &entry, packed, ledger, &mut |_, content| {
        // One byte more than the maximum, to detect a longer target.
        content
            .take(PATH_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map(|_| ())
    })?;
    ledger.bytes = counted;
    let target = target(&entry.path, &bytes, ledger.limits.depth)?;
    Ok(ArchiveEntry {
        kind: EntryKind::Symlink(target.into()),
        path: entry.path,
    })
}

/// Reads a content to its end, and compares it with what the headers promise.
fn content(
    central: &Central,
    entry: &ArchiveEntry,
    packed: &mut io::Take<impl io::BufRead>,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<Real, Error> {
    let declared = Declared {
        size: central.size.into(),
        packed: Some(central.packed.into()),
    };
    let real = if central.method == DEFLATED {
        ledger.offer(entry, &declared, &mut DeflateDecoder::new(packed), visit)?
    } else {
        ledger.offer(entry, &declared, packed, visit)?
    };
    if real.size != declared.size {
        return Err(Error::Size {
            name: Shown::new(&central.raw_name),
            declared: declared.size,
            real: real.size,
        });
    }
    if real.crc != central.crc {
        let why = "checksum mismatch";
        return Err(Error::content(&central.raw_name, why));
    }
    Ok(real)
}
