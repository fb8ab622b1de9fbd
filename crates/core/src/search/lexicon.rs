//! Every word that occurs, grouped by stem, with its postings.

use std::ops::Range;

use super::lists::Lists;
use super::postings::{Counts, Field, Postings};

/// Words in order of stem, then of spelling, so that the forms of one word lie side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lexicon {
    pub(super) text: String,
    pub(super) stems: Vec<Stem>,
    pub(super) words: Vec<Word>,
    pub(super) postings: Lists,
}

/// A slice of [`Lexicon::text`], and the first of its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stem {
    pub(super) start: u32,
    pub(super) length: u16,
    pub(super) first: u32,
}

/// A slice of [`Lexicon::text`], and where its postings end; they begin where those of the word before end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) start: u32,
    pub(super) length: u16,
    pub(super) prominence: Prominence,
    pub(super) end: u32,
    pub(super) letters: u32,
}

/// The most prominent field a word occurs in, for guesses at what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prominence {
    Name,
    Description,
    Elsewhere,
}

impl Prominence {
    pub(super) fn of(counts: Counts) -> Self {
        if counts.get(Field::Name) > 0 {
            Self::Name
        } else if counts.get(Field::Description) > 0 {
            Self::Description
        } else {
            Self::Elsewhere
        }
    }
}

/// A word of a [`Lexicon`].
#[derive(Clone, Copy)]
pub(super) struct LexiconEntry<'a> {
    pub(super) stem: &'a str,
    pub(super) word: &'a str,
    pub(super) postings: &'a [u8],
}

impl Lexicon {
    /// Adds a word after all others; `write` appends its postings.
    pub(super) fn push(
        &mut self,
        stem: &str,
        word: &str,
        write: impl FnOnce(&mut Vec<u8>) -> Prominence,
    ) {
        // Lists of a file are never added to.
        let Lists::Memory(postings) = &mut self.postings else {
            return;
        };
        let before = postings.len();
        let prominence = write(postings);
        let end = postings.len();
        if end > before {
            self.push_word(stem, word, prominence, narrow(end));
        }
    }

    fn push_word(&mut self, stem: &str, word: &str, prominence: Prominence, end: u32) {
        let known = self.stems.last().copied();
        let (start, length) = match known {
            Some(last) if self.slice(last.start, last.length) == stem => (last.start, last.length),
            _ => {
                let (start, length) = self.push_text(stem);
                let first = narrow(self.words.len());
                self.stems.push(Stem {
                    start,
                    length,
                    first,
                });
                (start, length)
            }
        };
        let (start, length) = if stem == word {
            (start, length)
        } else {
            self.push_text(word)
        };
        self.words.push(Word {
            start,
            length,
            prominence,
            end,
            letters: letters(word),
        });
    }

    fn push_text(&mut self, text: &str) -> (u32, u16) {
        let start = narrow(self.text.len());
        self.text.push_str(text);
        (start, u16::try_from(text.len()).unwrap_or(u16::MAX))
    }

    pub(super) fn word(&self, number: usize) -> &str {
        let word = self.words.get(number);
        word.map_or("", |word| self.slice(word.start, word.length))
    }

    pub(super) fn postings(&self, number: usize) -> Postings<'_> {
        Postings::new(self.bytes(number))
    }

    fn bytes(&self, number: usize) -> &[u8] {
        self.postings.get(self.range(number))
    }

    /// Where the postings of a word are.
    pub(super) fn range(&self, number: usize) -> Range<usize> {
        let end_of = |number| {
            self.words
                .get(number)
                .map_or(0, |word: &Word| wide(word.end))
        };
        let start = number.checked_sub(1).map_or(0, end_of);
        start..end_of(number)
    }

    fn slice(&self, start: u32, length: u16) -> &str {
        let start = wide(start);
        self.text
            .get(start..start + usize::from(length))
            .unwrap_or_default()
    }

    fn stem(&self, position: usize) -> &str {
        let stem = self.stems.get(position);
        stem.map_or("", |stem| self.slice(stem.start, stem.length))
    }

    /// The numbers of the words that share a stem.
    pub(super) fn group(&self, stem: &str) -> Range<usize> {
        self.stems
            .binary_search_by(|candidate| self.slice(candidate.start, candidate.length).cmp(stem))
            .map_or(0..0, |position| self.members(position))
    }

    fn members(&self, position: usize) -> Range<usize> {
        // Damaged bytes must not lead to more words than there are.
        let words = self.words.len();
        let first = |position| {
            self.stems
                .get(position)
                .map(|stem: &Stem| wide(stem.first).min(words))
        };
        first(position).unwrap_or(words)..first(position + 1).unwrap_or(words)
    }

    /// Words that begin so, with where they occur.
    ///
    /// A word begins as its stem does, so only stems that begin so, or that begin the prefix, are looked at.
    pub(super) fn starting(&self, prefix: &str) -> impl Iterator<Item = (usize, Prominence)> {
        let from = self
            .stems
            .partition_point(|stem| self.slice(stem.start, stem.length) < prefix);
        let begins = (from..self.stems.len())
            .take_while(move |position| self.stem(*position).starts_with(prefix))
            .flat_map(|position| self.members(position));
        let shorter = prefix
            .char_indices()
            .skip(2)
            .filter_map(|(end, _)| prefix.get(..end))
            .flat_map(|stem| self.group(stem));
        shorter.chain(begins).filter_map(move |number| {
            let word = self.words.get(number)?;
            let text = self.slice(word.start, word.length);
            (text.len() > prefix.len() && text.starts_with(prefix))
                .then_some((number, word.prominence))
        })
    }

    /// Words of names and descriptions that differ from `word` in at most `edits` letters, and perhaps others.
    pub(super) fn resembling(
        &self,
        word: &str,
        edits: u32,
    ) -> impl Iterator<Item = (usize, &str, Prominence)> {
        let sought = letters(word);
        self.words
            .iter()
            .enumerate()
            // An edit changes at most two bits: one letter leaves and one comes.
            .filter(move |(_, word)| (word.letters ^ sought).count_ones() <= 2 * edits)
            .filter(|(_, word)| word.prominence != Prominence::Elsewhere)
            .map(|(number, word)| (number, self.slice(word.start, word.length), word.prominence))
    }

    /// Every word, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = LexiconEntry<'_>> {
        (0..self.stems.len()).flat_map(move |position| {
            let stem = self.stem(position);
            self.members(position).map(move |number| LexiconEntry {
                stem,
                word: self.word(number),
                postings: self.bytes(number),
            })
        })
    }
}

/// Sizes of an index stay far below four gigabytes; beyond, words are lost, not memory.
pub(super) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn wide(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A set of the letters of a word, one bit each.
fn letters(word: &str) -> u32 {
    word.bytes()
        .fold(0, |set, byte| set | 1 << (u32::from(byte) & 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon() -> Lexicon {
        let mut lexicon = Lexicon::default();
        for (stem, word, prominence) in [
            ("deploy", "deployment", Prominence::Name),
            ("run", "run", Prominence::Name),
            ("run", "running", Prominence::Elsewhere),
            ("runtim", "runtime", Prominence::Description),
        ] {
            lexicon.push(stem, word, |bytes| {
                bytes.extend([0, 1]);
                prominence
            });
        }
        lexicon.push("void", "void", |_| Prominence::Name);
        lexicon
    }

    #[test]
    fn forms_of_a_word_are_together() {
        let lexicon = lexicon();
        assert_eq!(lexicon.group("run"), 1..3);
        assert_eq!(lexicon.group("runtim"), 3..4);
        assert!(lexicon.group("ru").is_empty());
        assert_eq!(lexicon.word(2), "running");
        assert_eq!(lexicon.postings(3).count(), 1);
    }

    #[test]
    fn a_word_without_postings_is_left_out() {
        let words: Vec<_> = lexicon()
            .entries()
            .map(|entry| entry.word.to_owned())
            .collect();
        assert_eq!(words, ["deployment", "run", "running", "runtime"]);
    }

    #[test]
    fn beginnings_and_resemblances() {
        let lexicon = lexicon();
        let starting =
            |prefix| -> Vec<usize> { lexicon.starting(prefix).map(|(number, _)| number).collect() };
        assert_eq!(starting("run"), [2, 3]);
        assert_eq!(starting("deploym"), [0]);
        let resembling: Vec<_> = lexicon
            .resembling("rnu", 1)
            .map(|(_, word, _)| word)
            .collect();
        assert_eq!(resembling, ["run"]);
    }
}
