//! Expands a query to words of the index.

use std::collections::HashSet;

use super::builder::short_hash;
use super::index::SearchIndex;
use super::lexicon::Prominence;
use super::stop::is_stop;
use super::tokenize::{is_unspaced, stem, tokenize};
use super::typo::{Guess, guesses};

/// Of a longer query the rarest words count.
const MOST_TERMS: usize = 32;
/// Words of a query that are looked at.
const MOST_WORDS: usize = 128;
/// Bytes of a query that are looked at.
const QUERY_BYTES: usize = 16 * 1024;
/// Guessing compares every name, so the number of guesses per query is limited.
const MOST_GUESSED: usize = 8;
/// Maximum number of completions of a partial word.
const MOST_COMPLETIONS: usize = 64;
/// Fewer letters begin too many words.
const SHORTEST_PREFIX: usize = 3;

/// How much the ways in which a word is found count.
mod weights {
    /// A word found in another form.
    pub(super) const SAME_STEM: f32 = 0.8;
    /// A word that begins with the one being typed, which itself does not occur.
    pub(super) const COMPLETED: f32 = 0.6;
    /// A word that begins with the one being typed, which also occurs by itself.
    pub(super) const COMPLETED_BESIDE: f32 = 0.05;
    /// A word one edit away, and two.
    pub(super) const GUESSED: [f32; 3] = [0.8, 0.8, 0.5];
    /// The halves of a word that was written without a gap.
    pub(super) const SPLIT: f32 = 0.6;
}

/// One word of a query.
#[derive(Debug, Default)]
pub(super) struct Term {
    /// How much it counts beside the others.
    pub(super) weight: f32,
    pub(super) words: Vec<FoundWord>,
    /// Short hashes of the stems, to be looked for in heads.
    pub(super) stems: Vec<u16>,
}

/// A word of the index that stands for one of the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundWord {
    /// Which part of the index has it.
    pub(super) part: usize,
    pub(super) number: usize,
    /// How much an occurrence counts.
    pub(super) factor: f32,
}

/// The words of a query that the index knows, completes or can guess, in their order.
///
/// A word that no skill has says nothing: it is left out. It is taken for a typing error only if that is nearly certain,
/// or if little of the query is understood without it.
pub(super) fn terms(index: &SearchIndex, query: &str) -> Vec<Term> {
    let (words, typing) = words(query);
    let last = words.len().saturating_sub(1);
    let mut terms: Vec<Term> = words
        .iter()
        .enumerate()
        .map(|(position, word)| {
            let mut term = forms(index, word);
            if typing && position == last || word.chars().all(is_unspaced) {
                complete(index, word, &mut term);
            }
            term
        })
        .collect();
    let known = terms.iter().filter(|term| !term.words.is_empty()).count();
    let is_understood = known * 2 > words.len();
    let unknown = words
        .iter()
        .zip(&mut terms)
        .filter(|(_, term)| term.words.is_empty());
    for (word, term) in unknown.take(MOST_GUESSED) {
        guess(index, word, is_understood, term);
        if term.words.is_empty() {
            split(index, word, term);
        }
    }
    terms.retain(|term| !term.words.is_empty());
    keep_rarest(index, &mut terms);
    for term in &mut terms {
        let parts = index.parts();
        let text = |word: &FoundWord| Some(parts.get(word.part)?.1.lexicon.word(word.number));
        let stems = term
            .words
            .iter()
            .filter_map(text)
            .map(|word| short_hash(&stem(word)));
        term.stems = stems.collect();
        term.stems.sort_unstable();
        term.stems.dedup();
    }
    terms
}

/// The stems of the relevant words of a text, for comparing two texts.
pub fn query_stems(text: &str) -> Vec<String> {
    let mut stems: Vec<String> = words(text)
        .0
        .iter()
        .map(|word| stem(word).into_owned())
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// The distinct relevant words, and whether the last one may be unfinished.
fn words(query: &str) -> (Vec<String>, bool) {
    let query = query
        .get(..query.floor_char_boundary(QUERY_BYTES))
        .unwrap_or(query);
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    let mut is_cut = false;
    tokenize(query, |word| {
        if all.len() == MOST_WORDS {
            is_cut = true;
        } else if seen.insert(word.to_owned()) {
            all.push(word.to_owned());
        }
    });
    let typing = !is_cut
        && query.ends_with(char::is_alphanumeric)
        && all.last().is_some_and(|word| !is_stop(word));
    if !all.iter().all(|word| is_stop(word)) {
        all.retain(|word| !is_stop(word));
    }
    (all, typing)
}

/// The word itself and the others with its stem.
fn forms(index: &SearchIndex, word: &str) -> Term {
    let stem = stem(word);
    let mut found = Vec::new();
    for (part, (_, segment)) in index.parts().into_iter().enumerate() {
        for number in segment.lexicon.group(&stem) {
            let same = segment.lexicon.word(number) == word;
            let factor = if same { 1.0 } else { weights::SAME_STEM };
            found.push(FoundWord {
                part,
                number,
                factor,
            });
        }
    }
    Term {
        weight: 1.0,
        words: found,
        stems: Vec::new(),
    }
}

fn complete(index: &SearchIndex, prefix: &str, term: &mut Term) {
    if prefix.chars().count() < SHORTEST_PREFIX && !prefix.chars().all(is_unspaced) {
        return;
    }
    let known: HashSet<_> = term
        .words
        .iter()
        .map(|word| (word.part, word.number))
        .collect();
    let mut found: Vec<(Prominence, usize, usize)> = Vec::new();
    for (part, (_, segment)) in index.parts().into_iter().enumerate() {
        let words = segment.lexicon.starting(prefix);
        let new = words.filter(|(number, _)| !known.contains(&(part, *number)));
        found.extend(new.map(|(number, prominence)| (prominence, part, number)));
    }
    found.sort_by_key(|(prominence, ..)| *prominence);
    found.truncate(MOST_COMPLETIONS);
    let factor = if known.is_empty() {
        weights::COMPLETED
    } else {
        weights::COMPLETED_BESIDE
    };
    let found = found.into_iter();
    term.words.extend(found.map(|(_, part, number)| FoundWord {
        part,
        number,
        factor,
    }));
}

fn guess(index: &SearchIndex, word: &str, is_understood: bool, term: &mut Term) {
    let mut best: Option<(Guess, Vec<FoundWord>)> = None;
    for (part, (_, segment)) in index.parts().into_iter().enumerate() {
        let Some((guess, numbers)) = guesses(&segment.lexicon, word, is_understood) else {
            continue;
        };
        let words = numbers.into_iter().map(|number| FoundWord {
            part,
            number,
            factor: 1.0,
        });
        match &mut best {
            Some((before, _)) if *before < guess => {}
            Some((before, found)) if *before == guess => found.extend(words),
            _ => best = Some((guess, words.collect())),
        }
    }
    if let Some((guess, words)) = best {
        term.weight = weights::GUESSED
            .get(guess.edits)
            .copied()
            .unwrap_or_default();
        term.words = words;
    }
}

/// `dockercompose` matches `docker` and `compose`.
fn split(index: &SearchIndex, word: &str, term: &mut Term) {
    let halves = (SHORTEST_PREFIX..word.len().saturating_sub(SHORTEST_PREFIX - 1))
        .filter_map(|at| word.split_at_checked(at))
        .map(|(left, right)| (forms(index, left), forms(index, right)))
        .find(|(left, right)| !left.words.is_empty() && !right.words.is_empty());
    if let Some((left, right)) = halves {
        term.weight = weights::SPLIT;
        term.words = left.words;
        term.words.extend(right.words);
    }
}

fn keep_rarest(index: &SearchIndex, terms: &mut Vec<Term>) {
    if terms.len() <= MOST_TERMS {
        return;
    }
    let bytes = |term: &Term| -> usize {
        let parts = index.parts();
        let words = term.words.iter();
        let length = |word: &FoundWord| {
            let part = parts.get(word.part);
            part.map_or(0, |(_, segment)| segment.lexicon.range(word.number).len())
        };
        words.map(length).sum()
    };
    let mut sizes: Vec<usize> = terms.iter().map(bytes).collect();
    sizes.sort_unstable();
    let most = sizes.get(MOST_TERMS - 1).copied().unwrap_or(usize::MAX);
    terms.retain(|term| bytes(term) <= most);
    terms.truncate(MOST_TERMS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: &[&str], expected_typing: bool) {
        let (words, typing) = words(query);
        assert_eq!(words, expected, "{query:?}");
        assert_eq!(typing, expected_typing, "{query:?}");
    }

    #[test]
    fn words_of_a_query() {
        check("", &[], false);
        check(
            "Why does my pod, the pod, restart?",
            &["pod", "restart"],
            false,
        );
        check("restart po", &["restart", "po"], true);
        check("restart the", &["restart"], false);
        check("how to", &["how", "to"], false);
        check("🚀 🎉", &[], false);
    }

    #[test]
    fn a_long_query_is_cut() {
        let query: Vec<_> = (0..500).map(|number| format!("word{number}")).collect();
        let (words, typing) = words(&query.join(" "));
        assert_eq!((words.len(), typing), (MOST_WORDS, false));
        let long = "ü".repeat(100_000);
        assert!(super::words(&long).0.is_empty());
    }
}
