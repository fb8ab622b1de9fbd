//! One pass over a whole archive, of whatever format.

use std::io::{self, Read, Seek};

use crate::entry::{ArchiveEntry, Summary};
use crate::error::Error;
use crate::format::{Format, length};
use crate::ledger::{Ledger, Stored, Visit};
use crate::limits::Limits;
use crate::names::Names;
use crate::{tar, zip};

/// The index of a verified archive.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) summary: Summary,
    pub(crate) names: Names,
    pub(crate) stored: Vec<Stored>,
}

pub(crate) fn scan(
    reader: &mut (impl Read + Seek),
    limits: &Limits,
    visit: &mut Visit<'_>,
) -> Result<Scan, Error> {
    let format = Format::of_reader(reader)?;
    let packed = length(reader).map_err(Error::Read)?;
    let mut ledger = Ledger::new(*limits, packed);
    match format {
        Format::Zip => zip::scan(reader, packed, &mut ledger, visit)?,
        Format::TarGz => tar::scan_gzip(reader, &mut ledger, visit)?,
        Format::Tar => tar::scan(reader, &mut ledger, visit)?,
    }
    if ledger.stored.is_empty() {
        return Err(Error::NoEntries);
    }
    ledger.names.check_links()?;
    Ok(Scan {
        summary: Summary {
            format,
            entries: ledger.entries,
            bytes: ledger.bytes,
        },
        names: ledger.names,
        stored: ledger.stored,
    })
}

/// Reads a whole archive once and verifies it.
///
/// Calls `visit` for each entry, in archive order, with the content of files; content that it does not read is read
/// afterwards and still counted. **Nothing is verified until this returns `Ok`**: on an error the caller must discard
/// everything it was given. Links in particular are checked at the end, when all of them are known.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use prowess_archive::{Limits, walk};
///
/// let mut paths = Vec::new();
/// walk(std::fs::File::open("skills.zip")?, &Limits::default(), |entry, _content| {
///     paths.push(entry.path.clone());
///     Ok(())
/// })?;
/// # Ok(()) }
/// ```
pub fn walk(
    mut reader: impl Read + Seek,
    limits: &Limits,
    mut visit: impl FnMut(&ArchiveEntry, &mut dyn Read) -> io::Result<()>,
) -> Result<Summary, Error> {
    scan(&mut reader, limits, &mut visit).map(|scan| scan.summary)
}
