//! Telling archives apart by their first bytes.

use std::fmt;
use std::io::{self, Read, Seek};

use crate::error::Error;

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.zip` and `.skill`.
    Zip,
    /// `.tar.gz` and `.tgz`.
    TarGz,
    /// `.tar`.
    Tar,
}

/// Bytes that decide: the magic of a tar header ends here.
const ENOUGH: u64 = 263;
const TAR_MAGIC: std::ops::Range<usize> = 257..262;

impl Format {
    /// The format that a file name suggests. A hint for choosing files; what counts is [`Format::of_bytes`].
    ///
    /// ```
    /// use prowess_archive::Format;
    ///
    /// assert_eq!(Format::of_name("tools.skill"), Some(Format::Zip));
    /// assert_eq!(Format::of_name("notes.md"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        const ENDINGS: [(&str, Format); 5] = [
            (".zip", Format::Zip),
            (".skill", Format::Zip),
            (".tar.gz", Format::TarGz),
            (".tgz", Format::TarGz),
            (".tar", Format::Tar),
        ];
        let name = name.to_ascii_lowercase();
        let found = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
        found.map(|(_, format)| *format)
    }

    /// The format of an archive that begins with these bytes; 263 of them are enough.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        // An empty zip archive begins with its end record.
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if bytes.starts_with(b"\x1f\x8b") {
            Some(Self::TarGz)
        } else if bytes.get(TAR_MAGIC) == Some(b"ustar") {
            Some(Self::Tar)
        } else {
            None
        }
    }

    /// Reads the first bytes and rewinds.
    pub(crate) fn of_reader(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let mut first = Vec::new();
        reader
            .rewind()
            .and_then(|()| reader.by_ref().take(ENOUGH).read_to_end(&mut first))
            .and_then(|_| reader.rewind())
            .map_err(Error::Read)?;
        if first.is_empty() {
            return Err(Error::NoBytes);
        }
        Self::of_bytes(&first).ok_or(Error::NotAnArchive)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zip => "zip",
            Self::TarGz => "tar.gz",
            Self::Tar => "tar",
        })
    }
}

/// The length of what a reader holds; it ends up at the start.
pub(crate) fn length(reader: &mut impl Seek) -> io::Result<u64> {
    let length = reader.seek(io::SeekFrom::End(0))?;
    reader.rewind()?;
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suggest_and_bytes_decide() {
        for (name, expected) in [
            ("a.zip", Some(Format::Zip)),
            ("A.SKILL", Some(Format::Zip)),
            ("a.tar.gz", Some(Format::TarGz)),
            ("a.tgz", Some(Format::TarGz)),
            ("a.tar", Some(Format::Tar)),
            ("a.gz", None),
            ("zip", None),
        ] {
            assert_eq!(Format::of_name(name), expected, "{name}");
        }
        assert_eq!(Format::of_bytes(b"PK\x03\x04"), Some(Format::Zip));
        assert_eq!(Format::of_bytes(b"PK\x01\x02"), None);
        assert_eq!(Format::of_bytes(b"\x1f\x8b"), Some(Format::TarGz));
        assert_eq!(Format::of_bytes(b""), None);
    }
}
