//! Every word that occurs, grouped by stem, with its postings.

use std::ops::Range;

use super::postings::{Counts, Field, Postings};

/// Words in order of stem, then of spelling, so that the forms of one word lie side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lexicon {
    text: String,
    stems: Vec<Stem>,
    words: Vec<Word>,
    postings: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
struct Stem {
    text: Range<usize>,
    first: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: Range<usize>,
    /// In [`Lexicon::postings`], up to where those of the next word begin.
    end: usize,
    letters: u32,
    prominence: Prominence,
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
    pub(super) prominence: Prominence,
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
        let before = self.postings.len();
        let prominence = write(&mut self.postings);
        if self.postings.len() > before {
            self.push_word(stem, word, prominence, self.postings.len());
        }
    }

    /// Adds a word whose postings end at `end` of those passed to [`Lexicon::set_postings`].
    pub(super) fn push_word(&mut self, stem: &str, word: &str, prominence: Prominence, end: usize) {
        let known = self.stems.last().map(|last| last.text.clone());
        let stem_text = match known {
            Some(text) if self.text.get(text.clone()) == Some(stem) => text,
            _ => {
                let text = self.push_text(stem);
                self.stems.push(Stem {
                    text: text.clone(),
                    first: self.words.len(),
                });
                text
            }
        };
        let text = if stem == word {
            stem_text
        } else {
            self.push_text(word)
        };
        self.words.push(Word {
            text,
            end,
            letters: letters(word),
            prominence,
        });
    }

    pub(super) fn set_postings(&mut self, postings: Vec<u8>) {
        self.postings = postings;
    }

    fn push_text(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    pub(super) fn stem_count(&self) -> usize {
        self.stems.len()
    }

    pub(super) fn all_postings(&self) -> &[u8] {
        &self.postings
    }

    pub(super) fn word(&self, number: usize) -> &str {
        self.words
            .get(number)
            .map_or("", |word| self.slice(&word.text))
    }

    pub(super) fn postings(&self, number: usize) -> Postings<'_> {
        Postings::new(self.bytes(number))
    }

    fn bytes(&self, number: usize) -> &[u8] {
        let end_of = |number| self.words.get(number).map_or(0, |word: &Word| word.end);
        let start = number.checked_sub(1).map_or(0, end_of);
        self.postings.get(start..end_of(number)).unwrap_or_default()
    }

    fn slice(&self, text: &Range<usize>) -> &str {
        self.text.get(text.clone()).unwrap_or_default()
    }

    /// The numbers of the words that share a stem.
    pub(super) fn group(&self, stem: &str) -> Range<usize> {
        self.stems
            .binary_search_by(|candidate| self.slice(&candidate.text).cmp(stem))
            .map_or(0..0, |position| self.members(position))
    }

    fn members(&self, position: usize) -> Range<usize> {
        let first = |position| self.stems.get(position).map(|stem: &Stem| stem.first);
        first(position).unwrap_or(self.words.len())..first(position + 1).unwrap_or(self.words.len())
    }

    /// Every word that begins so, with where it occurs.
    pub(super) fn starting(&self, prefix: &str) -> impl Iterator<Item = (usize, Prominence)> {
        self.words
            .iter()
            .enumerate()
            .filter(move |(_, word)| {
                word.text.len() > prefix.len() && self.slice(&word.text).starts_with(prefix)
            })
            .map(|(number, word)| (number, word.prominence))
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
            .map(|(number, word)| (number, self.slice(&word.text), word.prominence))
    }

    /// Every word, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = LexiconEntry<'_>> {
        self.groups().flat_map(|(_, entries)| entries)
    }

    /// Every stem with its words, in order.
    pub(super) fn groups(
        &self,
    ) -> impl Iterator<Item = (&str, impl ExactSizeIterator<Item = LexiconEntry<'_>>)> {
        self.stems.iter().enumerate().map(move |(position, stem)| {
            let stem = self.slice(&stem.text);
            let entry = move |number| LexiconEntry {
                stem,
                word: self.word(number),
                prominence: self
                    .words
                    .get(number)
                    .map_or(Prominence::Elsewhere, |word| word.prominence),
                postings: self.bytes(number),
            };
            (stem, self.members(position).map(entry))
        })
    }
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
        assert_eq!(lexicon.group("run"), 0..2);
        assert_eq!(lexicon.group("runtim"), 2..3);
        assert!(lexicon.group("ru").is_empty());
        assert_eq!(lexicon.word(1), "running");
        assert_eq!(lexicon.postings(2).count(), 1);
    }

    #[test]
    fn a_word_without_postings_is_left_out() {
        let words: Vec<_> = lexicon()
            .entries()
            .map(|entry| entry.word.to_owned())
            .collect();
        assert_eq!(words, ["run", "running", "runtime"]);
    }

    #[test]
    fn beginnings_and_resemblances() {
        let lexicon = lexicon();
        let starting: Vec<_> = lexicon.starting("run").map(|(number, _)| number).collect();
        assert_eq!(starting, [1, 2]);
        let resembling: Vec<_> = lexicon
            .resembling("rnu", 1)
            .map(|(_, word, _)| word)
            .collect();
        assert_eq!(resembling, ["run"]);
    }
}
