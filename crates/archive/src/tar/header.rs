//! One block that describes an entry.

use crate::problem::TarProblem;

pub(super) const BLOCK: usize = 512;

/// The two dialects: POSIX, which has room for a long name in the header, and GNU, which has not.
const POSIX: &[u8] = b"ustar\x0000";
const GNU: &[u8] = b"ustar  \x00";

/// A header, as it is written.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) target: Vec<u8>,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) kind: u8,
}

impl Header {
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self, TarProblem> {
        let field =
            |start: usize, length: usize| block.get(start..start + length).unwrap_or_default();
        let magic = field(257, 8);
        if magic != POSIX && magic != GNU {
            return Err(TarProblem::Magic);
        }
        if octal(field(148, 8)) != Some(checksum(block)) {
            return Err(TarProblem::Checksum);
        }
        let mut name = text(field(0, 100)).ok_or(TarProblem::Stray("the name"))?;
        let prefix = text(field(345, 155)).ok_or(TarProblem::Stray("the prefix"))?;
        if !prefix.is_empty() {
            // GNU keeps times here, and some readers take them for a name.
            if magic == GNU {
                return Err(TarProblem::Stray("the prefix"));
            }
            name = [&*prefix, b"/", &*name].concat();
        }
        if field(500, 12).iter().any(|byte| *byte != 0) {
            return Err(TarProblem::Stray("the padding"));
        }
        // Owners, times and device numbers are not used, but a reader that does must be able to.
        let unused = [(108, 8), (116, 8), (136, 12), (329, 8), (337, 8)];
        if !unused
            .iter()
            .all(|(at, length)| is_number_or_blank(field(*at, *length)))
        {
            return Err(TarProblem::Number("owner, time or device"));
        }
        let mode = number(field(100, 8)).and_then(|mode| u32::try_from(mode).ok());
        let [kind] = *field(156, 1) else {
            return Err(TarProblem::Magic);
        };
        Ok(Self {
            name,
            target: text(field(157, 100)).ok_or(TarProblem::Stray("the link target"))?,
            mode: mode.ok_or(TarProblem::Number("mode"))?,
            size: number(field(124, 12)).ok_or(TarProblem::Number("size"))?,
            kind,
        })
    }
}

/// The sum of all bytes, the sum itself taken for blanks.
fn checksum(block: &[u8; BLOCK]) -> u64 {
    let sum = block.iter().enumerate().map(|(at, byte)| match at {
        148..156 => u64::from(b' '),
        _ => u64::from(*byte),
    });
    sum.sum()
}

/// A text up to its NUL; `None` when something follows that.
fn text(field: &[u8]) -> Option<Vec<u8>> {
    let length = field
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(field.len());
    let (text, rest) = field.split_at_checked(length)?;
    rest.iter().all(|byte| *byte == 0).then(|| text.to_vec())
}

/// A number in octal digits, or in binary when the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    let (first, rest) = field.split_first()?;
    // 0xff begins a negative number, and anything between has bits that no size here needs.
    if *first == 0x80 {
        let mut value: u64 = 0;
        for byte in rest {
            value = value.checked_mul(256)?.checked_add((*byte).into())?;
        }
        return Some(value);
    }
    octal(field)
}

fn is_number_or_blank(field: &[u8]) -> bool {
    let is_blank = || field.iter().all(|byte| *byte == 0 || *byte == b' ');
    let is_negative = || field.first() == Some(&0xff);
    // No time and no owner is larger, and some readers stumble over those that are.
    number(field).is_some_and(|value| value < 1 << 40) || is_blank() || is_negative()
}

/// Blanks, digits, then only blanks and NULs.
fn octal(field: &[u8]) -> Option<u64> {
    let digits = field.trim_ascii_start();
    let length = digits.iter().position(|byte| !(b'0'..=b'7').contains(byte));
    let (digits, rest) = digits.split_at_checked(length.unwrap_or(digits.len()))?;
    if digits.is_empty() || rest.iter().any(|byte| *byte != 0 && *byte != b' ') {
        return None;
    }
    let mut value: u64 = 0;
    for digit in digits {
        value = value.checked_mul(8)?.checked_add((digit - b'0').into())?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (field, expected) in [
            (&b"00000000012\0"[..], Some(10)),
            (b"     0000012 ", Some(10)),
            (b"12\0\0", Some(10)),
            (b"777777777777", Some(0o777_777_777_777)),
            (b"\x80\0\0\0\0\0\0\0\0\0\x01\x00", Some(256)),
            (b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None),
            (b"\x81\0\0\0\0\0\0\0\0\0\0\x01", None),
            (b"-1\0", None),
            (b"8\0", None),
            (b"1\x002", None),
            (b"0x1\0", None),
            (b"\0\0\0", None),
            (b"   ", None),
            (b"", None),
        ] {
            assert_eq!(number(field), expected, "{field:?}");
        }
    }

    #[test]
    fn texts_end_with_their_nul() {
        assert_eq!(text(b"ab\0\0"), Some(b"ab".to_vec()));
        assert_eq!(text(b"abcd"), Some(b"abcd".to_vec()));
        assert_eq!(text(b"ab\0c"), None);
    }
}
