//! Expands a query to words of the index.

use std::collections::HashSet;

use super::lexicon::Lexicon;
use super::score::weights;
use super::stop::is_stop;
use super::tokenize::{is_cjk, stem, tokenize};
use super::typo::guesses;

/// Of a longer query the first words count.
const MOST_TERMS: usize = 32;
/// Guessing compares every name, so the number of guesses per query is limited.
const MOST_GUESSED: usize = 8;
/// Maximum number of completions of a partial word.
const MOST_COMPLETIONS: usize = 64;
/// Fewer letters begin too many words.
const SHORTEST_PREFIX: usize = 3;

/// One word of a query.
#[derive(Debug, Default)]
pub(super) struct Term {
    /// How much it counts beside the others.
    pub(super) weight: f32,
    /// Numbers of words, and how much an occurrence of each counts.
    pub(super) words: Vec<(usize, f32)>,
}

/// The words of a query that the index knows, completes or can guess.
pub(super) fn terms(lexicon: &Lexicon, query: &str) -> Vec<Term> {
    let (words, typing) = words(query);
    let last = words.len().saturating_sub(1);
    let mut guessed = 0;
    words
        .iter()
        .enumerate()
        .filter_map(|(position, word)| {
            let mut term = forms(lexicon, word);
            if typing && position == last || word.chars().all(is_cjk) {
                complete(lexicon, word, &mut term);
            }
            if term.words.is_empty() && guessed < MOST_GUESSED {
                guessed += 1;
                guess(lexicon, word, &mut term);
            }
            if term.words.is_empty() {
                split(lexicon, word, &mut term);
            }
            (!term.words.is_empty()).then_some(term)
        })
        .collect()
}

/// The distinct relevant words, and whether the last one may be unfinished.
fn words(query: &str) -> (Vec<String>, bool) {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    tokenize(query, |word| {
        if all.len() < MOST_TERMS * 4 && seen.insert(word.to_owned()) {
            all.push(word.to_owned());
        }
    });
    let typing =
        query.ends_with(char::is_alphanumeric) && all.last().is_some_and(|word| !is_stop(word));
    if !all.iter().all(|word| is_stop(word)) {
        all.retain(|word| !is_stop(word));
    }
    let typing = typing && all.len() <= MOST_TERMS;
    all.truncate(MOST_TERMS);
    (all, typing)
}

/// The word itself and the others with its stem.
fn forms(lexicon: &Lexicon, word: &str) -> Term {
    let words = lexicon
        .group(&stem(word))
        .map(|number| {
            let same = lexicon.word(number) == word;
            (number, if same { 1.0 } else { weights::SAME_STEM })
        })
        .collect();
    Term { weight: 1.0, words }
}

fn complete(lexicon: &Lexicon, prefix: &str, term: &mut Term) {
    if prefix.chars().count() < SHORTEST_PREFIX && !prefix.chars().all(is_cjk) {
        return;
    }
    let known: HashSet<usize> = term.words.iter().map(|(number, _)| *number).collect();
    let mut found: Vec<_> = lexicon
        .starting(prefix)
        .filter(|(number, _)| !known.contains(number))
        .collect();
    found.sort_by_key(|(_, prominence)| *prominence);
    found.truncate(MOST_COMPLETIONS);
    let factor = if known.is_empty() {
        weights::COMPLETED
    } else {
        weights::COMPLETED_BESIDE
    };
    term.words
        .extend(found.into_iter().map(|(number, _)| (number, factor)));
}

fn guess(lexicon: &Lexicon, word: &str, term: &mut Term) {
    let (edits, numbers) = guesses(lexicon, word);
    term.weight = if edits > 1 {
        weights::GUESSED_TWO
    } else {
        weights::GUESSED_ONE
    };
    term.words = numbers.into_iter().map(|number| (number, 1.0)).collect();
}

/// `dockercompose` matches `docker` and `compose`.
fn split(lexicon: &Lexicon, word: &str, term: &mut Term) {
    let halves = (SHORTEST_PREFIX..word.len().saturating_sub(SHORTEST_PREFIX - 1))
        .filter_map(|at| word.split_at_checked(at))
        .map(|(left, right)| (lexicon.group(&stem(left)), lexicon.group(&stem(right))))
        .find(|(left, right)| !left.is_empty() && !right.is_empty());
    if let Some((left, right)) = halves {
        term.weight = weights::SPLIT;
        term.words = left.chain(right).map(|number| (number, 1.0)).collect();
    }
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
    }

    #[test]
    fn a_long_query_is_cut() {
        let query: Vec<_> = (0..500).map(|number| format!("word{number}")).collect();
        let (words, typing) = words(&query.join(" "));
        assert_eq!(words.len(), MOST_TERMS);
        assert!(!typing);
    }
}
