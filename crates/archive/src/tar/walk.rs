//! From the first header to the end marker, and past it.

use std::io::{self, Read};

use super::header::{BLOCK, Header};
use super::pax::{self, Pax};
use super::stream::Stream;
use crate::entry::{ArchiveEntry, EntryKind, Mode};
use crate::error::Error;
use crate::ledger::{ContentLocation, Declared, Ledger, Visit};
use crate::limits::{PADDING_BYTES, RECORD_BYTES};
use crate::name::{Name, target};
use crate::problem::{LinkProblem, NameProblem, TarProblem, Within};
use crate::shown::Shown;

pub(crate) fn scan(
    reader: &mut impl Read,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    entries(
        Stream::plain(reader),
        ContentLocation::Stored,
        ledger,
        visit,
    )
}

pub(crate) fn scan_gzip(
    reader: &mut impl Read,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    entries(
        Stream::gzip(reader),
        ContentLocation::Unpacked,
        ledger,
        visit,
    )
}

/// The collected headers of the next entry.
#[derive(Default)]
struct Pending {
    pax: Option<Pax>,
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.pax.is_none() && self.name.is_none() && self.target.is_none()
    }
}

fn entries<R: Read>(
    mut stream: Stream<R>,
    location: fn(u64) -> ContentLocation,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let mut pending = Pending::default();
    while let Some(header) = header(&mut stream)? {
        match header.kind {
            b'x' => {
                let pax = pax::parse(&record(&mut stream, &header)?)?;
                once(&mut pending.pax, pax, "pax header")?;
            }
            b'L' => {
                let name = long_text(&mut stream, &header)?;
                once(&mut pending.name, name, "name")?;
            }
            b'K' => {
                let target = long_text(&mut stream, &header)?;
                once(&mut pending.target, target, "link target")?;
            }
            b'g' if !pending.is_empty() => return Err(TarProblem::Orphan.into()),
            b'g' => {
                ledger.count_entry()?;
                // A global header can be a comment, as git writes one, but not a name or a size.
                if pax::parse(&record(&mut stream, &header)?)? != Pax::default() {
                    return Err(TarProblem::PaxKey(Shown::new("path, linkpath or size")).into());
                }
            }
            _ => {
                ledger.count_entry()?;
                let described = describe(header, std::mem::take(&mut pending))?;
                take(&described, &mut stream, location, ledger, visit)?;
            }
        }
    }
    if !pending.is_empty() {
        return Err(TarProblem::Orphan.into());
    }
    stream.finish()
}

/// The next header, or `None` when the archive has ended as it should.
fn header<R: Read>(stream: &mut Stream<R>) -> Result<Option<Header>, Error> {
    let mut block = [0; BLOCK];
    match stream.fill(&mut block)? {
        BLOCK => {}
        0 => {
            let within = Within::EndMarker;
            return Err(Error::Truncated { within });
        }
        _ => {
            let within = Within::Header;
            return Err(Error::Truncated { within });
        }
    }
    if block.iter().any(|byte| *byte != 0) {
        return Ok(Some(Header::parse(&block)?));
    }
    if stream.fill(&mut block)? != BLOCK {
        let within = Within::EndMarker;
        return Err(Error::Truncated { within });
    }
    let mut seen = 0;
    let mut read = BLOCK;
    while read != 0 {
        if block.iter().take(read).any(|byte| *byte != 0) {
            return Err(TarProblem::Trailing.into());
        }
        read = stream.fill(&mut block)?;
        seen += read as u64;
        if seen > PADDING_BYTES {
            return Err(Error::Metadata {
                what: "zero bytes after the end",
                seen,
                limit: PADDING_BYTES,
            });
        }
    }
    Ok(None)
}

/// The content of a header that describes another.
fn record<R: Read>(stream: &mut Stream<R>, header: &Header) -> Result<Vec<u8>, Error> {
    if header.size > RECORD_BYTES {
        return Err(Error::Metadata {
            what: "bytes of one header",
            seen: header.size,
            limit: RECORD_BYTES,
        });
    }
    let mut bytes = vec![0; usize::try_from(header.size).unwrap_or_default()];
    if stream.fill(&mut bytes)? != bytes.len() {
        let within = Within::Header;
        return Err(Error::Truncated { within });
    }
    padding(stream, header.size, &header.name)?;
    Ok(bytes)
}

/// A text with the NUL that ends it.
fn long_text<R: Read>(stream: &mut Stream<R>, header: &Header) -> Result<Vec<u8>, Error> {
    let mut bytes = record(stream, header)?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.contains(&0) {
        return Err(TarProblem::Stray("the name").into());
    }
    Ok(bytes)
}

/// The rest of the last block of a content, which holds nothing.
fn padding<R: Read>(stream: &mut Stream<R>, size: u64, name: &[u8]) -> Result<(), Error> {
    let block = BLOCK as u64;
    let length = usize::try_from((block - size % block) % block).unwrap_or_default();
    let mut rest = vec![0; length];
    if stream.fill(&mut rest)? != length {
        let within = Within::Content;
        return Err(Error::Truncated { within });
    }
    if rest.iter().any(|byte| *byte != 0) {
        return Err(TarProblem::Padding(Shown::new(name)).into());
    }
    Ok(())
}

fn once<T>(slot: &mut Option<T>, value: T, what: &'static str) -> Result<(), TarProblem> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(TarProblem::Twice(what)),
    }
}

/// Merges the headers of one entry; duplicate values must be equal.
fn describe(mut header: Header, pending: Pending) -> Result<Header, Error> {
    let pax = pending.pax.unwrap_or_default();
    let either = |one: Option<Vec<u8>>, other: Option<Vec<u8>>, what| match (one, other) {
        (Some(_), Some(_)) => Err(TarProblem::Twice(what)),
        (one, other) => Ok(one.or(other)),
    };
    if let Some(name) = either(pax.path, pending.name, "name")? {
        header.name = name;
    }
    if let Some(target) = either(pax.target, pending.target, "link target")? {
        // libarchive takes a link without a target in its own header for an empty file.
        if header.target.is_empty() {
            return Err(TarProblem::Stray("the link target").into());
        }
        header.target = target;
    }
    if pax.size.is_some_and(|size| size != header.size) {
        return Err(TarProblem::Disagree(Shown::new(&header.name)).into());
    }
    Ok(header)
}

/// Takes one entry with its content.
fn take<R: Read>(
    header: &Header,
    stream: &mut Stream<R>,
    location: fn(u64) -> ContentLocation,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let name = Name::parse(&header.name, ledger.limits.depth)?;
    let shown = || Shown::new(&header.name);
    let is_file = matches!(header.kind, b'0' | 0);
    let is_link = matches!(header.kind, b'1' | b'2');
    if let Some(what) = special(header.kind) {
        let name = shown();
        return Err(Error::Special { name, what });
    }
    if !is_file && !is_link && header.kind != b'5' {
        return Err(TarProblem::Kind {
            name: shown(),
            kind: header.kind.into(),
        }
        .into());
    }
    if !is_file && header.size != 0 {
        return Err(TarProblem::Content(shown()).into());
    }
    if !is_link && !header.target.is_empty() {
        return Err(TarProblem::Stray("the link target").into());
    }
    if header.kind == b'5' {
        let Some(path) = name.path else {
            return ledger.names.add_root();
        };
        let kind = EntryKind::Directory;
        return bare(
            ArchiveEntry { path, kind },
            0,
            ContentLocation::None,
            ledger,
            visit,
        );
    }
    let path = name.file(&header.name)?;
    match header.kind {
        b'1' => hard_link(path, header, ledger, visit),
        b'2' => {
            let target = target(&path, &header.target, ledger.limits.depth)?;
            let kind = EntryKind::Symlink(target.into());
            bare(
                ArchiveEntry { path, kind },
                0,
                ContentLocation::None,
                ledger,
                visit,
            )
        }
        _ => {
            let kind = EntryKind::File(Mode::of_bits(header.mode));
            file(
                ArchiveEntry { path, kind },
                header,
                stream,
                location,
                ledger,
                visit,
            )
        }
    }
}

fn special(kind: u8) -> Option<&'static str> {
    Some(match kind {
        b'3' | b'4' => "a device",
        b'6' => "a named pipe",
        b'S' => "a sparse file",
        b'M' => "a part of a file",
        b'V' => "a volume label",
        _ => return None,
    })
}

/// Processes an entry without content.
fn bare(
    entry: ArchiveEntry,
    size: u64,
    location: ContentLocation,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    ledger.claim(&entry)?;
    visit(&entry, &mut io::empty()).map_err(|source| Error::Visit {
        path: entry.path.clone(),
        source,
    })?;
    ledger.keep(entry, size, location);
    Ok(())
}

fn hard_link(
    path: prowess_spec::SkillPath,
    header: &Header,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    let refuse = |problem| Error::Link {
        name: Shown::new(path.as_str()),
        target: Shown::new(&header.target),
        problem,
    };
    let named = Name::parse(&header.target, ledger.limits.depth);
    let named = named.and_then(|name| name.file(&header.target));
    let named = named.map_err(|error| match error {
        Error::Name { problem, .. } => refuse(match problem {
            NameProblem::Absolute | NameProblem::Drive => LinkProblem::Absolute,
            NameProblem::Traversal => LinkProblem::Outside,
            NameProblem::Long | NameProblem::Deep(_) => LinkProblem::Long,
            _ => LinkProblem::Unreadable,
        }),
        error => error,
    })?;
    let file = ledger.file(&named);
    let (first, size, location) = file.ok_or_else(|| refuse(LinkProblem::NotEarlier))?;
    ledger.count_copy(&path, size)?;
    let kind = EntryKind::HardLink(first);
    bare(ArchiveEntry { path, kind }, size, location, ledger, visit)
}

fn file<R: Read>(
    entry: ArchiveEntry,
    header: &Header,
    stream: &mut Stream<R>,
    location: fn(u64) -> ContentLocation,
    ledger: &mut Ledger,
    visit: &mut Visit<'_>,
) -> Result<(), Error> {
    ledger.claim(&entry)?;
    let location = location(stream.position());
    let declared = Declared {
        size: header.size,
        packed: None,
    };
    let mut content = stream.take(header.size);
    let real = ledger.offer(&entry, &declared, &mut content, visit)?;
    if real.size != header.size {
        let within = Within::Content;
        return Err(Error::Truncated { within });
    }
    padding(stream, header.size, &header.name)?;
    ledger.keep(entry, real.size, location);
    Ok(())
}
