//! From the texts of skills to a segment.

use std::sync::Arc;

use super::index::IndexedSkill;
use super::lexicon::{Prominence, narrow};
use super::pool::{Chain, Pool};
use super::postings::{Field, Tally, write_posting};
use super::segment::{Document, Extent, State};
use super::sketch::Sketcher;
use super::stop::is_stop;
use super::tokenize::{stem, tokenize};
use super::when;
use super::words::{self, WordTable};

/// Words of a name, a description and a "when to use" part whose order is remembered.
const HEAD_WORDS: [usize; 3] = [16, 160, 80];
/// No list of words is open for a skill.
const CLOSED: u32 = u32::MAX;

/// Collects the words of skills, for [`SearchIndex::extend`](super::SearchIndex::extend).
///
/// Several builders can work at once, each in a thread of its own. Give each of them a range of ids, because joining ranges
/// is fastest.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    pub(super) words: WordTable<List>,
    pub(super) postings: Pool,
    pub(super) documents: Vec<Document>,
    pub(super) heads: Vec<u16>,
}

/// Where one word occurs.
#[derive(Debug)]
pub(super) struct List {
    pub(super) postings: Chain,
    /// After the last document in `postings`.
    pub(super) next: u32,
    /// The document that is being read, if it has the word.
    open: u32,
    tally: Tally,
    pub(super) prominence: Prominence,
    hash: u32,
    /// The short hash of its stem; zero if it was not needed yet.
    stem: u16,
    is_stop: bool,
}

impl List {
    fn new(word: &str) -> Self {
        Self {
            postings: Chain::default(),
            next: 0,
            open: CLOSED,
            tally: Tally::default(),
            prominence: Prominence::Elsewhere,
            hash: (words::hash(word) >> 32) as u32,
            stem: 0,
            is_stop: is_stop(word),
        }
    }

    pub(super) fn close(&mut self, pool: &mut Pool) {
        if self.open != CLOSED {
            let counts = self.tally.counts();
            self.prominence = self.prominence.min(Prominence::of(counts));
            let gap = self.open.saturating_sub(self.next);
            write_posting(gap, counts, |byte| pool.push(&mut self.postings, byte));
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
            let Some(list) = self.words.get(word, || List::new(word)) else {
                return;
            };
            if field != Field::Name && list.is_stop {
                return;
            }
            words = words.saturating_add(1);
            if list.open != document {
                list.close(&mut self.postings);
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
}

/// Sixteen bits of a stem, never zero: enough to compare the few dozen words of a head with those of a query.
pub(super) fn short_hash(stem: &str) -> u16 {
    ((words::hash(stem) >> 40 & 0xffff) as u16).max(1)
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
