//! From the texts of skills to a segment.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::index::IndexedSkill;
use super::lexicon::{Lexicon, Prominence, narrow, wide};
use super::postings::{Field, Posting, Postings, Tally, Writer};
use super::score::Norms;
use super::segment::{DROPPED, Document, Extent, Segment, State};
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
            return wide(*number);
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
}

/// The skills of all builders. Of two skills with one id the first builder's counts.
///
/// Lists of postings are freed as they are copied, so that a large index is in memory once.
pub(super) fn finish(mut builders: Vec<IndexBuilder>, relative_to: Option<&Norms>) -> Segment {
    let numbers = numbers(&builders);
    let mut words: Vec<(Box<str>, Box<str>, usize, u32)> = Vec::new();
    for (builder, collected) in builders.iter_mut().enumerate() {
        let found = std::mem::take(&mut collected.numbers).into_iter();
        words.extend(found.map(|(word, number)| (stem(&word).into(), word, builder, number)));
    }
    words.sort_unstable();
    let mut lexicon = Lexicon::default();
    for group in words.chunk_by(|left, right| left.1 == right.1) {
        let Some((stem, word, ..)) = group.first() else {
            continue;
        };
        let mut postings: Vec<Posting> = Vec::new();
        for (_, _, builder, number) in group {
            let list = builders
                .get_mut(*builder)
                .and_then(|it| it.lists.get_mut(wide(*number)));
            let (Some(list), Some(numbers)) = (list, numbers.get(*builder)) else {
                continue;
            };
            list.close();
            let bytes = std::mem::take(&mut list.postings);
            postings.extend(Postings::new(&bytes).filter_map(|posting| {
                let document = *numbers.get(wide(posting.document))?;
                (document != DROPPED).then_some(Posting {
                    document,
                    ..posting
                })
            }));
        }
        if group.len() > 1 {
            postings.sort_unstable_by_key(|posting| posting.document);
        }
        lexicon.push(stem, word, |bytes| {
            let mut writer = Writer::new(bytes);
            for posting in &*postings {
                writer.push(*posting);
            }
            let prominences = postings.iter().map(|it| Prominence::of(it.counts));
            prominences.min().unwrap_or(Prominence::Elsewhere)
        });
    }
    drop(words);
    let (documents, heads) = documents(&builders, &numbers);
    Segment::new(documents, lexicon, heads, relative_to)
}

/// The number of each skill of each builder, in order of id.
fn numbers(builders: &[IndexBuilder]) -> Vec<Vec<u32>> {
    let mut order: Vec<(&str, usize, usize)> = Vec::new();
    for (builder, collected) in builders.iter().enumerate() {
        let ids = collected.documents.iter().map(|document| &*document.id);
        order.extend(
            ids.enumerate()
                .map(|(position, id)| (id, builder, position)),
        );
    }
    order.sort_unstable();
    order.dedup_by_key(|(id, ..)| *id);
    let empty = |builder: &IndexBuilder| vec![DROPPED; builder.documents.len()];
    let mut numbers: Vec<Vec<u32>> = builders.iter().map(empty).collect();
    for (number, (_, builder, position)) in (0..).zip(order) {
        let slot = numbers.get_mut(builder).and_then(|it| it.get_mut(position));
        if let Some(slot) = slot {
            *slot = number;
        }
    }
    numbers
}

fn documents(builders: &[IndexBuilder], numbers: &[Vec<u32>]) -> (Vec<Document>, Vec<u16>) {
    let mut order: Vec<(u32, &Document, &[u16])> = Vec::new();
    for (builder, numbers) in builders.iter().zip(numbers) {
        let mut start = 0;
        for (document, number) in builder.documents.iter().zip(numbers) {
            let end = wide(document.head_end);
            let head = builder.heads.get(start..end).unwrap_or_default();
            start = end;
            if *number != DROPPED {
                order.push((*number, document, head));
            }
        }
    }
    order.sort_unstable_by_key(|(number, ..)| *number);
    let mut heads = Vec::new();
    let mut documents = Vec::with_capacity(order.len());
    for (_, document, head) in order {
        heads.extend_from_slice(head);
        documents.push(Document {
            head_end: narrow(heads.len()),
            ..document.clone()
        });
    }
    (documents, heads)
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
