//! From what builders have read to one segment.

use std::iter::{self, Peekable};
use std::{slice, thread};

use super::builder::{IndexBuilder, List};
use super::lexicon::{Lexicon, Prominence, narrow, wide};
use super::pool::Pool;
use super::postings::{read_number, write_number};
use super::score::Norms;
use super::segment::{Document, Segment, numbers};
use super::tokenize::stem;

/// The skills of all builders. Of two skills with one id the first builder's counts.
pub(super) fn finish(builders: Vec<IndexBuilder>, relative_to: Option<&Norms>) -> Segment {
    if are_ranges(&builders) {
        return join_ranges(builders, relative_to);
    }
    let segments = builders
        .into_iter()
        .map(|builder| join_ranges(vec![builder], relative_to));
    let joined = segments.reduce(|left, right| {
        let (first, second) = numbers(&left, &[], &right);
        Segment::join((&left, &first), (&right, &second), relative_to)
    });
    joined.unwrap_or_default()
}

/// Whether all skills of a builder come after those of the one before.
fn are_ranges(builders: &[IndexBuilder]) -> bool {
    let ids = builders.iter().flat_map(|it| {
        let documents = &it.documents;
        documents.first().into_iter().chain(documents.last())
    });
    ids.is_sorted_by(|left, right| left.id <= right.id)
}

/// Lists of postings are appended to each other, and copied only once: this is when the most memory is in use.
fn join_ranges(builders: Vec<IndexBuilder>, relative_to: Option<&Norms>) -> Segment {
    let sorted: Vec<SortedBuilder> = thread::scope(|scope| {
        let mut builders = builders.into_iter();
        let first = builders.next();
        let others: Vec<_> = builders
            .map(|builder| scope.spawn(move || SortedBuilder::new(builder)))
            .collect();
        // What a thread loses by a panic stays stale.
        let others = others.into_iter().map(|it| it.join().ok());
        let first = first.map(SortedBuilder::new);
        iter::once(first).chain(others).flatten().collect()
    });
    let lexicon = lexicon(&sorted);
    let mut documents: Vec<Document> = Vec::new();
    let mut heads = Vec::new();
    for builder in sorted {
        let offset = narrow(heads.len());
        heads.extend(builder.read.heads);
        documents.extend(builder.read.documents.into_iter().map(|document| Document {
            head_end: document.head_end.saturating_add(offset),
            ..document
        }));
    }
    Segment::new(documents, lexicon, heads, relative_to)
}

fn lexicon(builders: &[SortedBuilder]) -> Lexicon {
    let mut lexicon = Lexicon::default();
    let mut documents = 0;
    let mut sources: Vec<Source<'_>> = Vec::new();
    for builder in builders {
        sources.push(Source {
            builder,
            words: builder.words.iter().peekable(),
            first_document: documents,
        });
        documents += builder.read.documents.len() as u64;
    }
    while let Some(word) = sources.iter_mut().filter_map(Source::peek).min() {
        lexicon.push(word.stem, word.text, |bytes| {
            let mut prominence = Prominence::Elsewhere;
            let mut next = 0;
            for source in &mut sources {
                if source.peek() != Some(word) {
                    continue;
                }
                let list = source.words.next().and_then(|it| source.builder.list(it));
                if let Some(list) = list {
                    let pool = &source.builder.read.postings;
                    append(
                        bytes,
                        pool,
                        list,
                        source.first_document.saturating_sub(next),
                    );
                    prominence = prominence.min(list.prominence);
                    next = source.first_document + u64::from(list.next);
                }
            }
            prominence
        });
    }
    lexicon
}

/// A builder whose words are being joined with those of others.
struct Source<'a> {
    builder: &'a SortedBuilder,
    words: Peekable<slice::Iter<'a, SortedWord>>,
    /// The number of its first skill among those of all builders.
    first_document: u64,
}

impl<'a> Source<'a> {
    fn peek(&mut self) -> Option<WordText<'a>> {
        let word = self.words.peek()?;
        Some(self.builder.text(word))
    }
}

/// Copies a list, with a larger gap before its first skill. The other gaps stay the same.
fn append(bytes: &mut Vec<u8>, pool: &Pool, list: &List, more: u64) {
    let start = bytes.len();
    pool.copy(&list.postings, bytes);
    let copied = bytes.get(start..).unwrap_or_default();
    let mut rest = copied;
    if more > 0
        && let Some(gap) = read_number(&mut rest)
    {
        let length = copied.len() - rest.len();
        let mut digits = Vec::new();
        write_number(&mut digits, gap.saturating_add(more));
        bytes.splice(start..start + length, digits);
    }
}

/// A builder with its words in the order of a lexicon.
struct SortedBuilder {
    read: IndexBuilder,
    /// The stems that are not the start of their word.
    stems: Vec<Box<str>>,
    words: Vec<SortedWord>,
}

struct SortedWord {
    /// The start of its stem as a number, in the same order: most comparisons of a sort need no more.
    order: u64,
    number: u32,
    /// How much of the word is its stem; from [`CHANGED`] on, the position of its stem among those that are not its start.
    stem: u32,
}

/// No word is so long.
const CHANGED: u32 = 1 << 31;

/// A word as it is sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordText<'a> {
    stem: &'a str,
    text: &'a str,
}

impl SortedBuilder {
    fn new(mut read: IndexBuilder) -> Self {
        let pool = &mut read.postings;
        read.words.values_mut().for_each(|list| list.close(pool));
        read.words.close();
        let mut sorted = Self {
            stems: Vec::new(),
            words: Vec::with_capacity(read.words.len()),
            read,
        };
        for (number, word) in (0..).zip(sorted.read.words.texts()) {
            let stem = stem(word);
            let place = if word.starts_with(&*stem) {
                narrow(stem.len())
            } else {
                sorted.stems.push(stem.as_ref().into());
                CHANGED + narrow(sorted.stems.len() - 1)
            };
            sorted.words.push(SortedWord {
                order: order(&stem),
                number,
                stem: place,
            });
        }
        let mut words = std::mem::take(&mut sorted.words);
        words.sort_unstable_by(|left, right| {
            let by_start = left.order.cmp(&right.order);
            by_start.then_with(|| sorted.text(left).cmp(&sorted.text(right)))
        });
        sorted.words = words;
        sorted
    }

    fn text(&self, word: &SortedWord) -> WordText<'_> {
        let text = self.read.words.text(word.number);
        let stem = match word.stem.checked_sub(CHANGED) {
            Some(position) => self.stems.get(wide(position)).map(|stem| &**stem),
            None => text.get(..wide(word.stem)),
        };
        WordText {
            stem: stem.unwrap_or_default(),
            text,
        }
    }

    fn list(&self, word: &SortedWord) -> Option<&List> {
        self.read.words.value(word.number)
    }
}

fn order(stem: &str) -> u64 {
    let mut start = [0; 8];
    for (byte, letter) in start.iter_mut().zip(stem.bytes()) {
        *byte = letter;
    }
    u64::from_be_bytes(start)
}
