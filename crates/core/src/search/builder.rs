//! From the texts of skills to a segment.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::index::IndexedSkill;
use super::lexicon::{Lexicon, Prominence, narrow};
use super::postings::{Field, Posting, Postings, Tally, Writer};
use super::score::Norms;
use super::segment::{Document, Extent, Segment, State};
use super::sketch::Sketcher;
use super::stop::is_stop;
use super::tokenize::{stem, tokenize};
use super::when;

/// Words of a name, a description and a "when to use" part whose order is remembered.
const HEAD_WORDS: [usize; 3] = [16, 160, 80];
/// No list of words is open for a skill.
const CLOSED: u32 = u32::MAX;

/// Collects the words of skills, for [`SearchIndex::extend`](super::SearchIndex::extend).
///
/// Several builders can work at once, each in a thread of its own.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    numbers: HashMap<Box<str>, u32, BuildHasherDefault<WordHasher>>,
    lists: Vec<List>,
    documents: Vec<Document>,
    heads: Vec<u16>,
}

/// Where one word occurs.
#[derive(Debug)]
struct List {
    postings: Vec<u8>,
    /// After the last document in `postings`.
    next: u32,
    /// The document that is being read, if it has the word.
    open: u32,
    tally: Tally,
    hash: u32,
    /// The short hash of its stem; zero if it was not needed yet.
    stem: u16,
    is_stop: bool,
}

impl List {
    fn close(&mut self) {
        if self.open != CLOSED {
            let posting = Posting {
                document: self.open,
                counts: self.tally.counts(),
            };
            Writer::after(&mut self.postings, self.next).push(posting);
            self.next = self.open.saturating_add(1);
            self.open = CLOSED;
        }
    }
}

impl IndexBuilder {
    /// Reads a skill. Skills come in ascending order of id; any other is left out, and the result is false.
    pub fn add(&mut self, skill: &IndexedSkill<'_>) -> bool {
        let last = self.documents.last();
        if last.is_some_and(|last| *last.id >= *skill.id) {
            return false;
        }
        let document = narrow(self.documents.len());
        let body = skill.body.unwrap_or_default();
        let [name_words, description_words, when_words] = HEAD_WORDS;
        let mut sketcher = Sketcher::default();

        let name = self.read(document, Field::Name, skill.id, name_words, &mut sketcher);
        self.heads.push(0);
        let text = skill.description;
        let described = self.read(
            document,
            Field::Description,
            text,
            description_words,
            &mut sketcher,
        );
        self.heads.push(0);
        let mut when = self.read(
            document,
            Field::When,
            when::in_description(text),
            0,
            &mut sketcher,
        );
        let more = skill.when_to_use.unwrap_or_default();
        for part in [more, when::in_body(body)] {
            when += self.read(document, Field::When, part, when_words, &mut sketcher);
        }
        self.heads.push(0);
        let keywords = skill.keywords.iter();
        let keywords =
            keywords.map(|keyword| self.read(document, Field::Keywords, keyword, 0, &mut sketcher));
        let keywords = keywords.sum();
        let body_words = self.read(document, Field::Body, body, 0, &mut sketcher);

        self.documents.push(Document {
            id: Arc::from(skill.id),
            stamp: skill.stamp,
            extent: skill.body.map_or(Extent::Head, |_| Extent::Whole),
            state: state(skill.description),
            lengths: [name, described, when, keywords, body_words],
            head_end: narrow(self.heads.len()),
            sketch: sketcher.finish(),
        });
        true
    }

    /// The number of skills that were read.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether no skill was read yet.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns how many words there were. The order of the first `ordered` is remembered.
    fn read(
        &mut self,
        document: u32,
        field: Field,
        text: &str,
        ordered: usize,
        sketcher: &mut Sketcher,
    ) -> u32 {
        let mut words = 0_u32;
        tokenize(text, |word| {
            let number = self.number(word);
            let Some(list) = self.lists.get_mut(number) else {
                return;
            };
            if field != Field::Name && list.is_stop {
                return;
            }
            words = words.saturating_add(1);
            if list.open != document {
                list.close();
                list.open = document;
                list.tally = Tally::default();
            }
            list.tally.add(field);
            if field == Field::Body {
                sketcher.add(list.hash);
            }
            if ordered >= words as usize {
                if list.stem == 0 {
                    list.stem = short_hash(&stem(word));
                }
                self.heads.push(list.stem);
            }
        });
        words
    }

    fn number(&mut self, word: &str) -> usize {
        if let Some(number) = self.numbers.get(word) {
            return super::lexicon::wide(*number);
        }
        let number = self.lists.len();
        self.numbers.insert(word.into(), narrow(number));
        let mut hasher = WordHasher::default();
        hasher.write(word.as_bytes());
        self.lists.push(List {
            postings: Vec::new(),
            next: 0,
            open: CLOSED,
            tally: Tally::default(),
            hash: (hasher.finish() >> 32) as u32,
            stem: 0,
            is_stop: is_stop(word),
        });
        number
    }

    pub(super) fn finish(self, relative_to: Option<&Norms>) -> Segment {
        let mut words: Vec<(Box<str>, Box<str>, u32)> = self
            .numbers
            .into_iter()
            .map(|(word, number)| (stem(&word).into(), word, number))
            .collect();
        words.sort_unstable();
        let mut lists = self.lists;
        let mut lexicon = Lexicon::default();
        for (stem, word, number) in words {
            let Some(list) = lists.get_mut(super::lexicon::wide(number)) else {
                continue;
            };
            list.close();
            let postings = std::mem::take(&mut list.postings);
            lexicon.push(&stem, &word, |bytes| {
                bytes.extend_from_slice(&postings);
                let prominences = Postings::new(&postings).map(|it| Prominence::of(it.counts));
                prominences.min().unwrap_or(Prominence::Elsewhere)
            });
        }
        Segment::new(self.documents, lexicon, self.heads, relative_to)
    }
}

/// Sixteen bits of a stem, never zero: enough to compare the few dozen words of a head with those of a query.
pub(super) fn short_hash(stem: &str) -> u16 {
    let mut hasher = WordHasher::default();
    hasher.write(stem.as_bytes());
    ((hasher.finish() >> 40 & 0xffff) as u16).max(1)
}

fn state(description: &str) -> State {
    let start = description
        .get(..description.floor_char_boundary(24))
        .unwrap_or_default();
    if start.to_ascii_lowercase().contains("deprecated") {
        State::Deprecated
    } else {
        State::Current
    }
}

/// A fast hash that is the same on every machine: most of the time of building an index goes into looking up words.
#[derive(Default)]
pub(super) struct WordHasher(u64);

impl WordHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let last = rest
            .iter()
            .rev()
            .fold(0, |last, byte| last << 8 | u64::from(*byte));
        self.mix(last | (rest.len() as u64) << 56);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
