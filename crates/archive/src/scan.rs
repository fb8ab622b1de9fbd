//! One pass over a whole archive, of whatever format.

use std::io::{self, Read, Seek};

use crate::entry::{Entry, Summary};
use crate::error::Error;
use crate::format::{Format, length};
use crate::ledger::{Ledger, Stored, Visit};
use crate::limits::Limits;
use crate::names::Names;
use crate::{tar, zip};

/// What is known of an archive after it was verified.
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

/// Goes through a whole archive once, and verifies all of it.
///
/// `visit` is called for each entry, in the order of the archive, with the content of files; what it does not read
/// is read after it, and counted all the same. **Until this returns `Ok` nothing is verified**: whoever keeps
/// something of what it was shown must drop it on an error. Links in particular are only judged at the end, when
/// all of them are known.
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
    mut visit: impl FnMut(&Entry, &mut dyn Read) -> io::Result<()>,
) -> Result<Summary, Error> {
    scan(&mut reader, limits, &mut visit).map(|scan| scan.summary)
}
