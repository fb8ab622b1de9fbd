//! The index as bytes.
//!
//! A header (mark, version, checksum), then the skills, the words and the postings. Adjacent entries of both tables
//! share prefixes, so each entry stores the length of the shared prefix. Postings have the same form as in memory.

use std::sync::Arc;

use super::index::{Document, Extent, SearchIndex};
use super::lexicon::{Lexicon, Prominence};
use super::postings::{read_number, write_number};

/// Incremented with every change of the layout, the tokenizer or the stop words: an old index is rebuilt.
const VERSION: u8 = 1;
const MARK: [u8; 7] = *b"prowidx";

impl SearchIndex {
    /// The index as [`SearchIndex::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        write_number(&mut body, self.documents.len() as u64);
        let mut before = "";
        for document in &self.documents {
            write_text(&mut body, before, &document.id);
            before = &document.id;
            body.extend(document.stamp.to_le_bytes());
            body.push(u8::from(document.extent == Extent::Whole));
            for length in document.lengths {
                write_number(&mut body, u64::from(length));
            }
        }
        write_number(&mut body, self.lexicon.stem_count() as u64);
        let mut before = "";
        for (stem, words) in self.lexicon.groups() {
            write_text(&mut body, before, stem);
            before = stem;
            write_number(&mut body, words.len() as u64);
            for entry in words {
                write_text(&mut body, stem, entry.word);
                let prominence = match entry.prominence {
                    Prominence::Name => 0,
                    Prominence::Description => 1,
                    Prominence::Elsewhere => 2,
                };
                write_number(&mut body, entry.postings.len() as u64 * 4 + prominence);
            }
        }
        body.extend(self.lexicon.all_postings());

        let mut bytes = Vec::with_capacity(body.len() + 16);
        bytes.extend(MARK);
        bytes.push(VERSION);
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The index that was written; none when the bytes are damaged or of another version.
    ///
    /// The checksum finds accidents, not forgeries: keep the bytes where only the user can write.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MARK)?.strip_prefix(&[VERSION])?;
        let (sum, body) = rest.split_first_chunk()?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return None;
        }
        decode(body)
    }
}

fn decode(mut body: &[u8]) -> Option<SearchIndex> {
    let bytes = &mut body;
    let count = read_size(bytes)?;
    // A count from damaged bytes must not reserve memory that the bytes themselves cannot fill.
    let mut documents: Vec<Document> = Vec::with_capacity(count.min(bytes.len()));
    let mut id = String::new();
    for _ in 0..count {
        read_text(bytes, &mut id)?;
        if documents.last().is_some_and(|last| *last.id >= *id) {
            return None;
        }
        documents.push(read_document(bytes, &id)?);
    }

    let mut lexicon = Lexicon::default();
    let (mut stem, mut before, mut word, mut end) =
        (String::new(), String::new(), String::new(), 0_usize);
    for number in 0..read_size(bytes)? {
        before.clone_from(&stem);
        read_text(bytes, &mut stem)?;
        if number > 0 && before >= stem {
            return None;
        }
        let mut last: Option<String> = None;
        for _ in 0..read_size(bytes)? {
            word.clone_from(&stem);
            read_text(bytes, &mut word)?;
            if last.as_ref().is_some_and(|last| *last >= word) {
                return None;
            }
            let packed = read_size(bytes)?;
            end = end.checked_add(packed / 4)?;
            let prominence = match packed % 4 {
                0 => Prominence::Name,
                1 => Prominence::Description,
                2 => Prominence::Elsewhere,
                _ => return None,
            };
            lexicon.push_word(&stem, &word, prominence, end);
            last.get_or_insert_default().clone_from(&word);
        }
    }
    if end != bytes.len() {
        return None;
    }
    lexicon.set_postings(bytes.to_vec());
    Some(SearchIndex::new(documents, lexicon))
}

fn read_document(bytes: &mut &[u8], id: &str) -> Option<Document> {
    let (stamp, rest) = bytes.split_first_chunk()?;
    let (extent, rest) = rest.split_first()?;
    *bytes = rest;
    let mut lengths = [0; 4];
    for length in &mut lengths {
        *length = u32::try_from(read_number(bytes)?).ok()?;
    }
    Some(Document {
        id: Arc::from(id),
        stamp: u64::from_le_bytes(*stamp),
        extent: match extent {
            0 => Extent::Head,
            1 => Extent::Whole,
            _ => return None,
        },
        lengths,
    })
}

fn read_size(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(read_number(bytes)?).ok()
}

/// How much of `before` is repeated, how much follows, and what.
fn write_text(bytes: &mut Vec<u8>, before: &str, text: &str) {
    let shared: usize = before
        .chars()
        .zip(text.chars())
        .take_while(|(left, right)| left == right)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let rest = text.get(shared..).unwrap_or_default();
    write_number(bytes, shared as u64);
    write_number(bytes, rest.len() as u64);
    bytes.extend(rest.as_bytes());
}

/// Turns `text`, the one before, into the next.
fn read_text(bytes: &mut &[u8], text: &mut String) -> Option<()> {
    let shared = read_size(bytes)?;
    let length = read_size(bytes)?;
    let (added, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    if !text.is_char_boundary(shared) {
        return None;
    }
    text.truncate(shared);
    text.push_str(std::str::from_utf8(added).ok()?);
    Some(())
}

/// FNV-1a over words of eight bytes, folded at each step so that high bits reach low ones.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(PRIME);
        mixed ^ (mixed >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = step(0xcbf2_9ce4_8422_2325, bytes.len() as u64);
    for word in words {
        sum = step(sum, u64::from_le_bytes(*word));
    }
    for byte in rest {
        sum = step(sum, u64::from(*byte));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::IndexedSkill;

    fn sample() -> SearchIndex {
        let texts: Vec<_> = (0..40)
            .map(|number| {
                (
                    format!("group-{}/skill-{number}", number % 3),
                    format!("Description {} of the données 数据库 {number}.", number % 7),
                    format!("Runs runner running {} words.", number * number),
                )
            })
            .collect();
        let skills = texts
            .iter()
            .zip(0..)
            .map(|((id, description, body), stamp)| IndexedSkill {
                id,
                description,
                keywords: vec!["key word"],
                body: (stamp % 5 > 0).then_some(body),
                stamp: u64::MAX - stamp,
            });
        SearchIndex::empty().update(skills).0
    }

    /// Enough for a test to be the same each time.
    fn random(state: &mut u64) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(*state >> 33).unwrap()
    }

    #[test]
    fn index_round_trips() {
        for index in [SearchIndex::empty(), sample()] {
            assert_eq!(SearchIndex::from_bytes(&index.to_bytes()), Some(index));
        }
    }

    #[test]
    fn every_truncation_is_noticed() {
        let bytes = sample().to_bytes();
        for length in 0..bytes.len() {
            assert_eq!(SearchIndex::from_bytes(&bytes[..length]), None);
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let mut bytes = sample().to_bytes();
        for position in 0..bytes.len() {
            let bit = 1 << (position % 8);
            bytes[position] ^= bit;
            assert_eq!(SearchIndex::from_bytes(&bytes), None);
            bytes[position] ^= bit;
        }
    }

    #[test]
    fn damage_that_the_checksum_missed_does_no_harm() {
        let body = sample().to_bytes().split_off(16);
        let mut state = 7;
        let mut read = 0;
        for _ in 0..20_000 {
            let mut damaged = body.clone();
            for _ in 0..=random(&mut state) % 4 {
                let position = random(&mut state) % damaged.len();
                damaged[position] = u8::try_from(random(&mut state) & 0xff).unwrap();
            }
            if random(&mut state).is_multiple_of(4) {
                damaged.truncate(random(&mut state) % damaged.len());
            }
            let Some(index) = decode(&damaged) else {
                continue;
            };
            read += 1;
            index.search("descriptoin 数据库 run skill", 10);
            index.update([IndexedSkill {
                id: "group-1/skill-1",
                description: "Running",
                keywords: Vec::new(),
                body: None,
                stamp: 0,
            }]);
        }
        assert!(read > 100, "{read}");
    }

    #[test]
    fn random_bytes_are_rejected() {
        let mut state = 11;
        for _ in 0..20_000 {
            let noise: Vec<u8> = (0..random(&mut state) % 200)
                .map(|_| u8::try_from(random(&mut state) & 0xff).unwrap())
                .collect();
            assert_eq!(SearchIndex::from_bytes(&noise), None);
            drop(decode(&noise));
        }
    }
}
