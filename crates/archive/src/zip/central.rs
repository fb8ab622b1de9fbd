//! The list of entries at the end.

use std::io::Read;

use super::{DEFLATED, DESCRIPTOR, ELSEWHERE, extra};
use crate::entry::Mode;
use crate::error::Error;
use crate::fields::{Fields, take};
use crate::name::{Name, Slash};
use crate::problem::{NameProblem, Within, ZipProblem};
use crate::shown::Shown;

const SIGNATURE: u32 = 0x0201_4b50;
const LENGTH: usize = 46;
/// The newest version of the format of which nothing is missing here: 4.5.
const NEWEST: u16 = 45;
/// How hard it was compressed, where the sizes are, and that the name is UTF-8.
const KNOWN_FLAGS: u16 = 0b0000_1000_0000_1110;
const ENCRYPTED_FLAGS: u16 = 1 | 1 << 6 | 1 << 13;

/// The systems whose permission bits mean what they do on Unix.
const UNIX_HOSTS: [u16; 2] = [3, 19];
const DOS_DIRECTORY: u32 = 0x10;

/// The central directory record of an entry.
#[derive(Debug)]
pub(super) struct Central {
    pub(super) raw_name: Box<[u8]>,
    pub(super) name: Name,
    pub(super) kind: Looks,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u32,
    pub(super) size: u32,
    pub(super) offset: u64,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    Directory,
    File(Mode),
    Symlink,
}

impl Central {
    pub(super) fn shown(&self) -> Shown {
        Shown::new(&self.raw_name)
    }

    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & DESCRIPTOR != 0
    }
}

/// Reads one record.
pub(super) fn read(list: &mut impl Read, depth: usize) -> Result<Central, Error> {
    let truncated = || Error::Truncated {
        within: Within::CentralDirectory,
    };
    let mut next = |length: usize| {
        take(list, length)
            .map_err(Error::Read)?
            .ok_or_else(truncated)
    };
    let fixed = next(LENGTH)?;
    let fixed = Fixed::parse(&fixed).ok_or_else(truncated)?;
    if fixed.signature != SIGNATURE {
        return Err(ZipProblem::Signature(Shown::new("in the central directory")).into());
    }
    let raw_name = next(fixed.name_length.into())?;
    let extra = next(fixed.extra_length.into())?;
    next(fixed.comment_length.into())?;
    fixed.check(&raw_name)?;
    let name = Name::parse(&raw_name, depth)?;
    if extra::read(&extra, &raw_name)?.is_some() {
        return Err(ZipProblem::Zip64.into());
    }
    Ok(Central {
        kind: fixed.kind(&raw_name, &name)?,
        name,
        raw_name: raw_name.into(),
        flags: fixed.flags,
        method: fixed.method,
        crc: fixed.crc,
        packed: fixed.packed,
        size: fixed.size,
        offset: fixed.offset.into(),
    })
}

/// The part of a record that is always there.
struct Fixed {
    signature: u32,
    made_by: u16,
    needs: u16,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    name_length: u16,
    extra_length: u16,
    comment_length: u16,
    disk: u16,
    attributes: u32,
    offset: u32,
}

impl Fixed {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let (signature, made_by, needs) = (fields.u32()?, fields.u16()?, fields.u16()?);
        let (flags, method, _time) = (fields.u16()?, fields.u16()?, fields.u32()?);
        let (crc, packed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (name_length, extra_length) = (fields.u16()?, fields.u16()?);
        let (comment_length, disk, _internal) = (fields.u16()?, fields.u16()?, fields.u16()?);
        Some(Self {
            signature,
            made_by,
            needs,
            flags,
            method,
            crc,
            packed,
            size,
            name_length,
            extra_length,
            comment_length,
            disk,
            attributes: fields.u32()?,
            offset: fields.u32()?,
        })
    }

    fn check(&self, name: &[u8]) -> Result<(), ZipProblem> {
        let name = || Shown::new(name);
        let (flags, method, version) = (self.flags, self.method, self.needs & 0xff);
        if self.disk != 0 {
            return Err(ZipProblem::Parts);
        }
        if flags & ENCRYPTED_FLAGS != 0 {
            return Err(ZipProblem::Encrypted(name()));
        }
        if flags & !KNOWN_FLAGS != 0 {
            let name = name();
            return Err(ZipProblem::Flags { name, flags });
        }
        if method != 0 && method != DEFLATED {
            let name = name();
            return Err(ZipProblem::Method { name, method });
        }
        if version > NEWEST {
            let name = name();
            return Err(ZipProblem::Version { name, version });
        }
        if [self.packed, self.size, self.offset].contains(&ELSEWHERE) {
            return Err(ZipProblem::Zip64);
        }
        if method == 0 && self.packed != self.size {
            return Err(ZipProblem::Contradiction {
                name: name(),
                field: "sizes",
            });
        }
        Ok(())
    }

    /// The kind that the name and the attributes agree on.
    fn kind(&self, raw_name: &[u8], name: &Name) -> Result<Looks, Error> {
        let special = |what| Error::Special {
            name: Shown::new(raw_name),
            what,
        };
        let contradiction = || ZipProblem::Contradiction {
            name: Shown::new(raw_name),
            field: "kind",
        };
        let bits = self.attributes >> 16;
        let is_unix = UNIX_HOSTS.contains(&(self.made_by >> 8));
        let mode = if is_unix {
            Mode::of_bits(bits)
        } else {
            Mode::Plain
        };
        let looks = match (bits & 0o170_000, name.slash) {
            (0o040_000 | 0, Slash::Ends) => Looks::Directory,
            (0o100_000 | 0, Slash::None) => Looks::File(mode),
            (0o120_000, Slash::None) if is_unix => Looks::Symlink,
            (0o120_000, Slash::Ends) => return Err(Error::name(raw_name, NameProblem::Slash)),
            (0o040_000 | 0o100_000 | 0o120_000, _) => return Err(contradiction().into()),
            (0o010_000, _) => return Err(special("a named pipe")),
            (0o020_000 | 0o060_000, _) => return Err(special("a device")),
            (0o140_000, _) => return Err(special("a socket")),
            _ => return Err(special("of an unknown type")),
        };
        if self.attributes & DOS_DIRECTORY != 0 && looks != Looks::Directory {
            return Err(contradiction().into());
        }
        if looks == Looks::Directory && self.size != 0 {
            return Err(contradiction().into());
        }
        Ok(looks)
    }
}
