//! Which skills hold a word, and how often in which field: two or three bytes a skill.

/// A part of a skill where a word can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Description,
    /// What the description or the body says about when to use the skill.
    When,
    Keywords,
    Body,
}

impl Field {
    /// How many there are.
    pub(super) const COUNT: usize = 5;

    /// In the order of lengths and weights.
    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::Name,
        Self::Description,
        Self::When,
        Self::Keywords,
        Self::Body,
    ];
}

/// How often a word occurred in each field of the skill that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally([u8; Field::COUNT]);

impl Tally {
    pub(super) fn add(&mut self, field: Field) {
        if let Some(count) = self.0.get_mut(field as usize) {
            *count = count.saturating_add(1);
        }
    }

    pub(super) fn counts(self) -> Counts {
        let [name, description, when, keywords, body] = self.0;
        // The number of binary digits: 1, 2 to 3, 4 to 7 and so on, because long bodies repeat themselves.
        let body = (u8::BITS - body.leading_zeros()).min(7) as u8;
        Counts(
            name.min(1)
                | keywords.min(1) << 1
                | description.min(3) << 2
                | when.min(1) << 4
                | body << 5,
        )
    }
}

/// The same in one byte. What is above the capacity of a field does not affect the rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(pub(super) u8);

impl Counts {
    /// The count in a field; for bodies, the number of its binary digits.
    pub(super) fn get(self, field: Field) -> u8 {
        match field {
            Field::Name => self.0 & 1,
            Field::Keywords => self.0 >> 1 & 1,
            Field::Description => self.0 >> 2 & 3,
            Field::When => self.0 >> 4 & 1,
            Field::Body => self.0 >> 5,
        }
    }

    /// The higher count of each field.
    pub(super) fn union(self, other: Self) -> Self {
        let higher = |mask: u8| (self.0 & mask).max(other.0 & mask);
        Self(higher(1) | higher(0b10) | higher(0b1100) | higher(0b1_0000) | higher(0b1110_0000))
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

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        // Most gaps take one byte.
        let (gap, counts) = if let [gap @ 0..0x80, counts, ref rest @ ..] = *self.bytes {
            self.bytes = rest;
            (u32::from(gap), counts)
        } else {
            let gap = u32::try_from(read_number(&mut self.bytes)?).ok()?;
            let (&counts, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            (gap, counts)
        };
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
        Self::after(bytes, 0)
    }

    /// Continues a list whose last document is the one before `next`.
    pub(super) fn after(bytes: &'a mut Vec<u8>, next: u32) -> Self {
        Self { bytes, next }
    }

    pub(super) fn push(&mut self, posting: Posting) {
        let gap = posting.document.saturating_sub(self.next);
        write_posting(gap, posting.counts, |byte| self.bytes.push(byte));
        self.next = posting.document.saturating_add(1);
    }
}

/// A posting that comes `gap` documents after the one before.
#[inline]
pub(super) fn write_posting(gap: u32, counts: Counts, mut push: impl FnMut(u8)) {
    write_digits(u64::from(gap), &mut push);
    push(counts.0);
}

/// Seven bits a byte, the lowest first.
pub(super) fn write_number(bytes: &mut Vec<u8>, number: u64) {
    write_digits(number, |byte| bytes.push(byte));
}

#[inline]
fn write_digits(mut number: u64, mut push: impl FnMut(u8)) {
    while number >= 0x80 {
        push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    push((number & 0x7f) as u8);
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
    fn counts_stop_at_the_capacity_of_a_field() {
        let counted = |times: usize| {
            let mut tally = Tally::default();
            for field in Field::ALL {
                for _ in 0..times {
                    tally.add(field);
                }
            }
            Field::ALL.map(|field| tally.counts().get(field))
        };
        assert_eq!(counted(0), [0, 0, 0, 0, 0]);
        assert_eq!(counted(1), [1, 1, 1, 1, 1]);
        assert_eq!(counted(2), [1, 2, 1, 1, 2]);
        assert_eq!(counted(9), [1, 3, 1, 1, 4]);
        assert_eq!(counted(1000), [1, 3, 1, 1, 7]);
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
