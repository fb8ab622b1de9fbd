//! The end record, which locates the central directory.

use std::io::{Read, Seek, SeekFrom};

use crate::error::Error;
use crate::fields::{Fields, fill};
use crate::limits::CENTRAL_BYTES;
use crate::problem::ZipProblem;

const SIGNATURE: &[u8] = b"PK\x05\x06";
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_LENGTH: usize = 20;
const LENGTH: usize = 22;
/// The record with its longest comment, and what may stand right before it.
const TAIL: u64 = (LOCATOR_LENGTH + LENGTH + u16::MAX as usize) as u64;

/// The end record, checked against its position.
pub(super) struct End {
    pub(super) entries: u64,
    /// Where the list begins.
    pub(super) start: u64,
    /// Where the list ends.
    pub(super) stop: u64,
}

pub(super) fn read(reader: &mut (impl Read + Seek), length: u64) -> Result<End, Error> {
    let base = length.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(length - base).unwrap_or_default()];
    reader.seek(SeekFrom::Start(base)).map_err(Error::Read)?;
    if fill(reader, &mut tail).map_err(Error::Read)? != tail.len() {
        return Err(ZipProblem::NoEnd.into());
    }
    let place = place(&tail)?;
    let locator = place
        .checked_sub(LOCATOR_LENGTH)
        .and_then(|at| tail.get(at..place));
    if locator.is_some_and(|bytes| bytes.starts_with(ZIP64_LOCATOR)) {
        return Err(ZipProblem::Zip64.into());
    }
    let record = tail.get(place..).unwrap_or_default();
    parse(record, base.saturating_add(place as u64))
}

/// Where the record is: the last one, unless an earlier one could be meant.
fn place(tail: &[u8]) -> Result<usize, ZipProblem> {
    let starts = || (0..=tail.len().saturating_sub(LENGTH)).rev();
    let is_record = |at: &usize| tail.get(*at..).is_some_and(|it| it.starts_with(SIGNATURE));
    let reaches_the_end = |at: &usize| {
        let mut fields = Fields(
            tail.get(at.saturating_add(LENGTH - 2)..)
                .unwrap_or_default(),
        );
        fields.u16().map(usize::from) == Some(fields.0.len())
    };
    let last = starts().find(is_record).ok_or(ZipProblem::NoEnd)?;
    if !reaches_the_end(&last) {
        return Err(ZipProblem::NoEnd);
    }
    if starts().filter(is_record).filter(reaches_the_end).count() > 1 {
        return Err(ZipProblem::ManyEnds);
    }
    Ok(last)
}

fn parse(record: &[u8], at: u64) -> Result<End, Error> {
    let mut fields = Fields(record);
    let mut read = || {
        fields.u32()?;
        let disks = (fields.u16()?, fields.u16()?);
        let counts = (fields.u16()?, fields.u16()?);
        Some((disks, counts, fields.u32()?, fields.u32()?))
    };
    let (disks, counts, size, start) = read().ok_or(ZipProblem::NoEnd)?;
    let large = [counts.0, counts.1, disks.0, disks.1].contains(&u16::MAX);
    if large || size == super::ELSEWHERE || start == super::ELSEWHERE {
        return Err(ZipProblem::Zip64.into());
    }
    if disks != (0, 0) || counts.0 != counts.1 {
        return Err(ZipProblem::Parts.into());
    }
    let (size, start) = (u64::from(size), u64::from(start));
    if size > CENTRAL_BYTES {
        return Err(Error::Metadata {
            what: "bytes of the central directory",
            seen: size,
            limit: CENTRAL_BYTES,
        });
    }
    if start.saturating_add(size) != at {
        return Err(ZipProblem::Directory.into());
    }
    Ok(End {
        entries: u64::from(counts.1),
        start,
        stop: at,
    })
}
