//! The header before each content, and the record that may follow it.

use std::io::Read;

use super::central::Central;
use super::{ELSEWHERE, extra};
use crate::error::Error;
use crate::fields::{Fields, take};
use crate::problem::{Within, ZipProblem};

const SIGNATURE: u32 = 0x0403_4b50;
const LENGTH: usize = 30;
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;

/// Reads the local header of an entry, compares it with the central directory, and returns its length.
pub(super) fn read(archive: &mut impl Read, central: &Central) -> Result<u64, Error> {
    let truncated = || Error::Truncated {
        within: Within::Header,
    };
    let mut next = |length: usize| {
        take(archive, length)
            .map_err(Error::Read)?
            .ok_or_else(truncated)
    };
    let fixed = next(LENGTH)?;
    let fixed = Fixed::parse(&fixed).ok_or_else(truncated)?;
    if fixed.signature != SIGNATURE {
        return Err(ZipProblem::Signature(central.shown()).into());
    }
    let name = next(fixed.name_length.into())?;
    let extra = next(fixed.extra_length.into())?;
    let agree = |same: bool, field| {
        let name = central.shown();
        if same {
            Ok(())
        } else {
            Err(ZipProblem::Disagree { name, field })
        }
    };
    agree(*name == *central.raw_name, "name")?;
    agree(fixed.flags == central.flags, "flags")?;
    agree(fixed.method == central.method, "method")?;
    let large = extra::read(&extra, &name)?;
    let elsewhere = (fixed.size == ELSEWHERE, fixed.packed == ELSEWHERE);
    let (size, packed) = match (large, elsewhere) {
        (Some(large), (true, true)) => (large.size, large.packed),
        (None, (false, false)) => (fixed.size.into(), fixed.packed.into()),
        _ => return Err(ZipProblem::Zip64.into()),
    };
    // With a data descriptor after the content, the header can leave its fields empty.
    let fits = |here: u64, listed: u32| {
        here == u64::from(listed) || (here == 0 && central.has_descriptor())
    };
    agree(fits(fixed.crc.into(), central.crc), "checksum")?;
    agree(fits(size, central.size), "size")?;
    agree(fits(packed, central.packed), "packed size")?;
    Ok(LENGTH as u64 + u64::from(fixed.name_length) + u64::from(fixed.extra_length))
}

struct Fixed {
    signature: u32,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    name_length: u16,
    extra_length: u16,
}

impl Fixed {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let (signature, _needs) = (fields.u32()?, fields.u16()?);
        let (flags, method, _time) = (fields.u16()?, fields.u16()?, fields.u32()?);
        Some(Self {
            signature,
            flags,
            method,
            crc: fields.u32()?,
            packed: fields.u32()?,
            size: fields.u32()?,
            name_length: fields.u16()?,
            extra_length: fields.u16()?,
        })
    }
}

/// The possible lengths of a data descriptor.
///
/// With a signature or without, with short sizes or long ones: readers guess which from the bytes. The room before
/// the next entry leaves nothing to guess.
pub(super) fn is_descriptor_length(length: u64) -> bool {
    matches!(length, 12 | 16 | 20 | 24)
}

/// Reads the data descriptor and compares it with the central directory.
pub(super) fn read_descriptor(
    archive: &mut impl Read,
    length: u64,
    central: &Central,
) -> Result<(), Error> {
    let truncated = Error::Truncated {
        within: Within::Header,
    };
    let room = usize::try_from(length).unwrap_or_default();
    let bytes = take(archive, room).map_err(Error::Read)?.ok_or(truncated)?;
    let mut fields = Fields(&bytes);
    let mut same = || {
        if matches!(length, 16 | 24) && fields.u32()? != DESCRIPTOR_SIGNATURE {
            return None;
        }
        let crc = fields.u32()?;
        let (packed, size) = if length >= 20 {
            (fields.u64()?, fields.u64()?)
        } else {
            (fields.u32()?.into(), fields.u32()?.into())
        };
        let listed = (central.crc, central.packed.into(), central.size.into());
        Some((crc, packed, size) == listed)
    };
    if same() != Some(true) {
        return Err(ZipProblem::Disagree {
            name: central.shown(),
            field: "sizes after the content",
        }
        .into());
    }
    Ok(())
}
