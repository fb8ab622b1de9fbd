//! Which skills hold a word, and how often in which field: two or three bytes a skill.

/// An occurrence of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Description,
    Keywords,
    Body,
}

impl Field {
    /// In the order of lengths and weights.
    pub(super) const ALL: [Self; 4] = [Self::Name, Self::Description, Self::Keywords, Self::Body];

    /// The lowest bit and the highest count in [`Counts`].
    const fn slot(self) -> (u8, u8) {
        match self {
            Self::Name => (0, 1),
            Self::Keywords => (1, 1),
            Self::Description => (2, 3),
            Self::Body => (4, 15),
        }
    }
}

/// How often a word occurs in each field of one skill. Counts above the capacity of a slot do not affect the rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(pub(super) u8);

impl Counts {
    pub(super) fn get(self, field: Field) -> u8 {
        let (shift, most) = field.slot();
        (self.0 >> shift) & most
    }

    pub(super) fn add(&mut self, field: Field) {
        let (shift, most) = field.slot();
        if self.get(field) < most {
            self.0 += 1 << shift;
        }
    }
}

/// One skill that holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) document: u32,
    pub(super) counts: Counts,
}

/// Reads what [`Writer`] wrote; stops early at damaged bytes.
pub(super) struct Postings<'a> {
    pub(super) bytes: &'a [u8],
    next: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let gap = u32::try_from(read_number(&mut self.bytes)?).ok()?;
        let (&counts, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let document = self.next.checked_add(gap)?;
        self.next = document.checked_add(1)?;
        Some(Posting {
            document,
            counts: Counts(counts),
        })
    }
}

/// Appends postings in ascending order of their documents.
pub(super) struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    next: u32,
}

impl<'a> Writer<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, next: 0 }
    }

    pub(super) fn push(&mut self, posting: Posting) {
        let gap = posting.document.saturating_sub(self.next);
        write_number(self.bytes, u64::from(gap));
        self.bytes.push(posting.counts.0);
        self.next = posting.document.saturating_add(1);
    }
}

/// Seven bits a byte, the lowest first.
pub(super) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// A number from the front of `bytes`; none when it ends too early or does not fit.
pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if bits.leading_zeros() < shift {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for number in [0, 1, 127, 128, 300, 1 << 31, u64::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            let mut rest = bytes.as_slice();
            assert_eq!(read_number(&mut rest), Some(number));
            assert!(rest.is_empty());
            assert_eq!(read_number(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(read_number(&mut [0xff; 12].as_slice()), None);
    }

    #[test]
    fn counts_stop_at_what_a_slot_holds() {
        let mut counts = Counts::default();
        for field in Field::ALL {
            for _ in 0..20 {
                counts.add(field);
            }
        }
        assert_eq!(Field::ALL.map(|field| counts.get(field)), [1, 3, 1, 15]);
    }

    #[test]
    fn postings_round_trip() {
        let list = [0, 1, 7, 1000, u32::MAX - 1].map(|document| Posting {
            document,
            counts: Counts(17),
        });
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        for posting in list {
            writer.push(posting);
        }
        assert!(Postings::new(&bytes).eq(list));
    }
}
