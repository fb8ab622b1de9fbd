//! The index as bytes.
//!
//! Two parts, as in memory: the base, and the delta with the dead skills of the base. Each ends in a footer (sizes,
//! checksum, version, mark). The postings come first in a part, so that they are used where they were read. They are most
//! of it, and have checksums of their own: of a base in a file only what a query needs is read.

use std::borrow::Cow;
use std::sync::Arc;

use crate::heap::reserve_heap;

use super::index::SearchIndex;
use super::lexicon::{Lexicon, Prominence, Stem, Word, narrow, wide};
use super::lists::{Block, IndexFile, Lists, blocks};
use super::postings::{Field, read_number, write_number};
use super::score::Norms;
use super::segment::{Document, Extent, Segment, State};
use super::sketch::{BINS, Sketch};

/// Incremented with every change of the layout, the tokenizer or the stop words: an old index is rebuilt.
const VERSION: u8 = 3;
const MARK: [u8; 7] = *b"prowidx";
/// Documents that are decoded before the heap grows again, and the bytes of an id with what its allocation adds.
const AT_ONCE: usize = 1_024;
const ID: usize = 80;
/// Bytes of the footer: length of the postings, checksum, version and mark.
const FOOTER: usize = 8 + 8 + 1 + 7;

impl SearchIndex {
    /// The index as [`SearchIndex::from_bytes`] reads it back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.delta_bytes();
        let delta = bytes.len() as u64;
        bytes.extend(self.base_bytes());
        bytes.extend(delta.to_le_bytes());
        bytes
    }

    /// The index that was written; none when the bytes are damaged or of another version.
    ///
    /// The checksum finds accidents, not forgeries: keep the bytes where only the user can write.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (rest, delta) = bytes.split_last_chunk()?;
        let delta = usize::try_from(u64::from_le_bytes(*delta)).ok()?;
        let (delta, base) = rest.split_at_checked(delta)?;
        Self::from_parts(base.to_vec(), Some(delta))
    }

    /// The larger part, which stays the same for many updates.
    pub fn base_bytes(&self) -> Vec<u8> {
        part_bytes(&self.base, &[])
    }

    /// The same in two pieces, of which the larger one is not copied.
    pub fn base_pieces(&self) -> (Cow<'_, [u8]>, Vec<u8>) {
        pieces(&self.base, &[])
    }

    /// The smaller part: what changed since the larger one was made.
    pub fn delta_bytes(&self) -> Vec<u8> {
        part_bytes(&self.delta, &self.dead)
    }

    /// Whether the larger part is that of another index, and need not be written again.
    pub fn has_base_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.base, &other.base)
    }

    /// The index of both parts, or of the larger one alone; none when bytes are damaged, of another version, or do not
    /// belong together.
    pub fn from_parts(base: Vec<u8>, delta: Option<&[u8]>) -> Option<Self> {
        Self::with_delta(read_part(base, None)?, delta)
    }

    /// The same if the larger part is a file of this length. Its postings stay there until a search needs them; see
    /// [`Self::is_damaged`].
    pub fn from_file(
        file: impl IndexFile + 'static,
        length: u64,
        delta: Option<&[u8]>,
    ) -> Option<Self> {
        Self::with_delta(read_stored_part(Box::new(file), length)?, delta)
    }

    fn with_delta((base, dead): (Segment, Vec<u32>), delta: Option<&[u8]>) -> Option<Self> {
        if !dead.is_empty() {
            return None;
        }
        let (delta, dead) = match delta {
            Some(delta) => read_part(delta.to_vec(), Some(&base))?,
            None => (Segment::default(), Vec::new()),
        };
        if dead.last().is_some_and(|last| wide(*last) >= base.len()) {
            return None;
        }
        Some(Self {
            base: Arc::new(base),
            delta: Arc::new(delta),
            dead: Arc::new(dead),
        })
    }
}

fn part_bytes(segment: &Segment, dead: &[u32]) -> Vec<u8> {
    let (postings, tables) = pieces(segment, dead);
    let mut bytes = postings.into_owned();
    bytes.extend(tables);
    bytes
}

/// The postings, and what follows them.
fn pieces<'s>(segment: &'s Segment, dead: &[u32]) -> (Cow<'s, [u8]>, Vec<u8>) {
    let postings = segment.lexicon.postings.bytes();
    let tables = tables(segment, &postings, dead);
    (postings, tables)
}

/// What follows the postings: documents, words, blocks and the footer.
fn tables(segment: &Segment, postings: &[u8], dead: &[u32]) -> Vec<u8> {
    let lexicon = &segment.lexicon;
    let mut bytes = Vec::new();
    write_number(&mut bytes, segment.documents.len() as u64);
    let mut before = "";
    let mut head_end = 0;
    for document in &segment.documents {
        write_text(&mut bytes, before, &document.id);
        before = &document.id;
        bytes.extend(document.stamp.to_le_bytes());
        let extent = u8::from(document.extent == Extent::Whole);
        bytes.push(extent | u8::from(document.state == State::Deprecated) << 1);
        for length in document.lengths {
            write_number(&mut bytes, u64::from(length));
        }
        write_number(
            &mut bytes,
            u64::from(document.head_end.saturating_sub(head_end)),
        );
        head_end = document.head_end;
        for bin in document.sketch.0 {
            bytes.extend(bin.to_le_bytes());
        }
    }
    write_number(&mut bytes, segment.heads.len() as u64);
    bytes.extend(segment.heads.iter().flat_map(|word| word.to_le_bytes()));
    write_number(&mut bytes, lexicon.text.len() as u64);
    bytes.extend(lexicon.text.as_bytes());
    write_number(&mut bytes, lexicon.stems.len() as u64);
    for stem in &lexicon.stems {
        bytes.extend(stem.start.to_le_bytes());
        bytes.extend(stem.length.to_le_bytes());
        bytes.extend(stem.first.to_le_bytes());
    }
    write_number(&mut bytes, lexicon.words.len() as u64);
    for word in &lexicon.words {
        bytes.extend(word.start.to_le_bytes());
        bytes.extend((word.length << 2 | word.prominence as u16).to_le_bytes());
        bytes.extend(word.end.to_le_bytes());
        bytes.extend(word.letters.to_le_bytes());
    }
    write_number(&mut bytes, dead.len() as u64);
    bytes.extend(dead.iter().flat_map(|position| position.to_le_bytes()));

    let blocks = blocks(postings, lexicon.words.iter().map(|word| word.end));
    write_number(&mut bytes, blocks.len() as u64);
    for block in blocks {
        bytes.extend(block.end.to_le_bytes());
        bytes.extend(block.sum.to_le_bytes());
    }

    bytes.extend((postings.len() as u64).to_le_bytes());
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes.push(VERSION);
    bytes.extend(MARK);
    bytes
}

fn read_part(mut bytes: Vec<u8>, base: Option<&Segment>) -> Option<(Segment, Vec<u32>)> {
    let footer = Footer::read(&bytes)?;
    let (postings, tables) = bytes.split_at_checked(footer.postings)?;
    let mut tables = footer.decode(tables)?;
    let is_intact = |block: &Block| {
        let bytes = postings.get(wide(block.start)..wide(block.end));
        bytes.is_some_and(|bytes| block.is_intact(bytes))
    };
    if !tables.blocks.iter().all(is_intact) {
        return None;
    }
    bytes.truncate(footer.postings);
    tables.lexicon.postings = Lists::Memory(bytes);
    let norms = base.filter(|base| base.len() > 0).map(|base| &base.norms);
    Some(tables.segment(norms))
}

fn read_stored_part(file: Box<dyn IndexFile>, length: u64) -> Option<(Segment, Vec<u32>)> {
    let mut footer = [0; FOOTER];
    let end = length.checked_sub(FOOTER as u64)?;
    file.read_exact_at(&mut footer, end).ok()?;
    let footer = Footer::read(&footer)?;
    let start = footer.postings as u64;
    let mut bytes = vec![0; usize::try_from(length.checked_sub(start)?).ok()?];
    file.read_exact_at(&mut bytes, start).ok()?;
    let mut tables = footer.decode(&bytes)?;
    let blocks = std::mem::take(&mut tables.blocks);
    tables.lexicon.postings = Lists::stored(file, blocks);
    Some(tables.segment(None))
}

/// The end of a part.
struct Footer {
    /// Bytes of the postings.
    postings: usize,
    /// The checksum of everything between them and itself.
    sum: u64,
}

impl Footer {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (_, footer) = bytes.split_last_chunk::<FOOTER>()?;
        let (postings, footer) = footer.split_first_chunk()?;
        let (sum, footer) = footer.split_first_chunk()?;
        let is_ours = footer == [&[VERSION], MARK.as_slice()].concat();
        is_ours.then_some(Self {
            postings: usize::try_from(u64::from_le_bytes(*postings)).ok()?,
            sum: u64::from_le_bytes(*sum),
        })
    }

    /// What follows the postings, this footer included.
    fn decode(&self, bytes: &[u8]) -> Option<Tables> {
        let (tables, _) = bytes.split_last_chunk::<FOOTER>()?;
        if checksum(bytes.get(..tables.len() + 8)?) != self.sum {
            return None;
        }
        let tables = decode(tables)?;
        let end = tables.blocks.last().map_or(0, |last| wide(last.end));
        (end == self.postings).then_some(tables)
    }
}

struct Tables {
    documents: Vec<Document>,
    heads: Vec<u16>,
    /// Without postings.
    lexicon: Lexicon,
    dead: Vec<u32>,
    blocks: Vec<Block>,
}

impl Tables {
    fn segment(self, relative_to: Option<&Norms>) -> (Segment, Vec<u32>) {
        let segment = Segment::new(self.documents, self.lexicon, self.heads, relative_to);
        (segment, self.dead)
    }
}

fn decode(mut bytes: &[u8]) -> Option<Tables> {
    let bytes = &mut bytes;
    let count = read_size(bytes)?;
    // A count from damaged bytes must not reserve memory that the bytes themselves cannot fill.
    let mut documents: Vec<Document> = Vec::with_capacity(count.min(bytes.len()));
    let mut id = String::new();
    let mut head_end = 0_u32;
    for number in 0..count {
        if number % AT_ONCE == 0 {
            reserve_heap(AT_ONCE * ID);
        }
        read_text(bytes, &mut id)?;
        if documents.last().is_some_and(|last| *last.id >= *id) {
            return None;
        }
        documents.push(read_document(bytes, &id, &mut head_end)?);
    }
    let heads = read_array(bytes, |chunk: &[u8; 2]| u16::from_le_bytes(*chunk))?;
    let length = read_size(bytes)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    let lexicon = Lexicon {
        text: std::str::from_utf8(text).ok()?.to_owned(),
        stems: read_array(bytes, stem)?,
        words: read_array(bytes, word)?,
        postings: Lists::default(),
    };
    let dead = read_array(bytes, |chunk: &[u8; 4]| u32::from_le_bytes(*chunk))?;
    let ends = read_array(bytes, block_end)?;
    let blocks = blocks_between(ends)?;
    let is_valid = bytes.is_empty() && dead.is_sorted() && wide(head_end) == heads.len();
    is_valid.then_some(Tables {
        documents,
        heads,
        lexicon,
        dead,
        blocks,
    })
}

fn block_end(chunk: &[u8; 12]) -> (u32, u64) {
    let [e0, e1, e2, e3, sum @ ..] = *chunk;
    (
        u32::from_le_bytes([e0, e1, e2, e3]),
        u64::from_le_bytes(sum),
    )
}

/// Blocks without gaps, from their ends.
fn blocks_between(ends: Vec<(u32, u64)>) -> Option<Vec<Block>> {
    let mut start = 0;
    let block = |(end, sum)| {
        let block = Block { start, end, sum };
        start = end;
        (block.start < end).then_some(block)
    };
    ends.into_iter().map(block).collect()
}

fn stem(chunk: &[u8; 10]) -> Stem {
    let [rest @ .., f0, f1, f2, f3] = *chunk;
    let [s0, s1, s2, s3, l0, l1] = rest;
    Stem {
        start: u32::from_le_bytes([s0, s1, s2, s3]),
        length: u16::from_le_bytes([l0, l1]),
        first: u32::from_le_bytes([f0, f1, f2, f3]),
    }
}

fn word(chunk: &[u8; 14]) -> Word {
    let [s0, s1, s2, s3, p0, p1, e0, e1, e2, e3, l0, l1, l2, l3] = *chunk;
    let packed = u16::from_le_bytes([p0, p1]);
    Word {
        start: u32::from_le_bytes([s0, s1, s2, s3]),
        length: packed >> 2,
        prominence: match packed & 3 {
            0 => Prominence::Name,
            1 => Prominence::Description,
            _ => Prominence::Elsewhere,
        },
        end: u32::from_le_bytes([e0, e1, e2, e3]),
        letters: u32::from_le_bytes([l0, l1, l2, l3]),
    }
}

fn read_array<T, const N: usize>(
    bytes: &mut &[u8],
    read: impl Fn(&[u8; N]) -> T,
) -> Option<Vec<T>> {
    let length = read_size(bytes)?.checked_mul(N)?;
    let (items, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(items.as_chunks().0.iter().map(read).collect())
}

fn read_document(bytes: &mut &[u8], id: &str, head_end: &mut u32) -> Option<Document> {
    let (stamp, rest) = bytes.split_first_chunk()?;
    let (flags, rest) = rest.split_first()?;
    *bytes = rest;
    let mut lengths = [0; Field::COUNT];
    for length in &mut lengths {
        *length = u32::try_from(read_number(bytes)?).ok()?;
    }
    *head_end = head_end.checked_add(narrow(read_size(bytes)?))?;
    let (sketch, rest) = bytes.split_first_chunk::<{ BINS * 2 }>()?;
    *bytes = rest;
    let mut bins = [0; BINS];
    for (bin, chunk) in bins.iter_mut().zip(sketch.as_chunks().0) {
        *bin = u16::from_le_bytes(*chunk);
    }
    Some(Document {
        id: Arc::from(id),
        stamp: u64::from_le_bytes(*stamp),
        extent: match flags & 1 {
            0 => Extent::Head,
            _ => Extent::Whole,
        },
        state: match flags >> 1 {
            0 => State::Current,
            1 => State::Deprecated,
            _ => return None,
        },
        lengths,
        head_end: *head_end,
        sketch: Sketch(bins),
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

/// A fast checksum for data of our own that is cached: it finds accidents, not forgeries.
///
/// Four times FNV-1a over words of eight bytes, folded at each step so that high bits reach low ones. Each takes every
/// fourth word, so that a processor computes them at once.
pub fn checksum(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(PRIME);
        mixed ^ (mixed >> 32)
    };
    let start = step(SEED, bytes.len() as u64);
    let mut sums = [start, !start, start.rotate_left(16), start.rotate_left(48)];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = step(*sum, u64::from_le_bytes(*word));
        }
    }
    let sum = sums.into_iter().fold(start, step);
    rest.iter()
        .fold(sum, |sum, byte| step(sum, u64::from(*byte)))
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
                ..IndexedSkill::default()
            });
        let (index, _) = SearchIndex::empty().update(skills.clone());
        // One skill is changed and one removed, so that both parts have something.
        let changed = skills
            .skip(1)
            .enumerate()
            .map(|(number, skill)| IndexedSkill {
                stamp: if number == 7 { 7 } else { skill.stamp },
                ..skill
            });
        index.update(changed).0
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
            assert_eq!(
                SearchIndex::from_bytes(&index.to_bytes()),
                Some(index.clone())
            );
            let (base, delta) = (index.base_bytes(), index.delta_bytes());
            assert_eq!(SearchIndex::from_parts(base, Some(&delta)), Some(index));
        }
    }

    struct Bytes(Vec<u8>);

    impl IndexFile for Bytes {
        fn read_exact_at(&self, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
            let start = usize::try_from(start).unwrap();
            let found = self.0.get(start..start + bytes.len());
            bytes.copy_from_slice(found.ok_or(std::io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    fn from_file(base: Vec<u8>, delta: &[u8]) -> Option<SearchIndex> {
        let length = base.len() as u64;
        SearchIndex::from_file(Bytes(base), length, Some(delta))
    }

    #[test]
    fn postings_in_a_file_are_the_same() {
        for index in [SearchIndex::empty(), sample()] {
            let delta = index.delta_bytes();
            let stored = from_file(index.base_bytes(), &delta).unwrap();
            let query = "descriptoin 数据库 run skill";
            assert_eq!(stored.search(query, 50), index.search(query, 50));
            assert_eq!(stored.base_bytes(), index.base_bytes());
            assert_eq!(stored, index);
            assert!(!stored.is_damaged());
        }
    }

    #[test]
    fn damage_in_a_file_is_noticed_when_it_is_opened_or_read() {
        let index = sample();
        let (mut base, delta) = (index.base_bytes(), index.delta_bytes());
        let postings = index.base.lexicon.postings.bytes().len();
        for position in 0..base.len() {
            let bit = 1 << (position % 8);
            base[position] ^= bit;
            let opened = from_file(base.clone(), &delta);
            base[position] ^= bit;
            assert_eq!(opened.is_some(), position < postings);
            if let Some(opened) = opened {
                assert!(!opened.is_damaged());
                opened.search("words", 10);
                assert!(opened.is_damaged());
            }
        }
        for length in 0..base.len() {
            assert_eq!(from_file(base[..length].to_vec(), &delta), None);
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
        let index = sample();
        let body = index.base_bytes();
        let postings = index.base.lexicon.postings.bytes().len();
        let body = body[postings..body.len() - FOOTER].to_vec();
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
            let Some(mut tables) = decode(&damaged) else {
                continue;
            };
            read += 1;
            let postings = &index.base.lexicon.postings;
            tables.lexicon.postings.clone_from(postings);
            let index = SearchIndex {
                base: Arc::new(tables.segment(None).0),
                ..SearchIndex::default()
            };
            index.search("descriptoin 数据库 run skill", 10);
            index.update([IndexedSkill {
                id: "group-1/skill-1",
                description: "Running",
                keywords: Vec::new(),
                ..IndexedSkill::default()
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
