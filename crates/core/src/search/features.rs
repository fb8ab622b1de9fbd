//! What speaks for a skill, beyond the words that it shares with a query.

use super::expand::Term;
use super::index::SearchIndex;
use super::lexicon::{narrow, wide};
use super::postings::{Counts, Field};
use super::score::{Scores, real};
use super::segment::State;

/// How many features there are.
pub(super) const COUNT: usize = 20;

/// Their names, as `search --explain` and the file of the weights have them.
pub(super) const NAMES: [&str; COUNT] = [
    "bm25",
    "bm25-relative",
    "covered",
    "covered-leading",
    "covered-head",
    "covered-name",
    "covered-description",
    "covered-when",
    "covered-keywords",
    "covered-body",
    "one-field",
    "rarest-in-head",
    "name-matched",
    "name-in-query",
    "phrases",
    "proximity",
    "early",
    "description-length",
    "says-when",
    "deprecated",
];

/// The values of one skill, each about 0 to 1.
pub(super) type Features = [f32; COUNT];

/// Computes the features of some skills for one query.
pub(super) struct Examiner<'a> {
    index: &'a SearchIndex,
    terms: &'a [Term],
    rarities: Vec<f32>,
    total: f32,
    best: f32,
    candidates: Vec<usize>,
    /// For each candidate, the counts of each term.
    counts: Vec<Counts>,
}

impl<'a> Examiner<'a> {
    /// `candidates` are numbers of skills, ascending.
    pub(super) fn new(
        index: &'a SearchIndex,
        terms: &'a [Term],
        scores: &Scores,
        candidates: Vec<usize>,
    ) -> Self {
        let weights = terms.iter().zip(&scores.rarities);
        let rarities: Vec<f32> = weights.map(|(term, rarity)| term.weight * rarity).collect();
        let score = |number: &usize| scores.scores.get(*number).copied().unwrap_or_default();
        let mut examiner = Self {
            index,
            terms,
            total: rarities.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            best: candidates
                .iter()
                .map(score)
                .fold(f32::MIN_POSITIVE, f32::max),
            rarities,
            counts: vec![Counts::default(); candidates.len() * terms.len()],
            candidates,
        };
        examiner.count();
        examiner
    }

    /// Reads the postings again, for the candidates alone.
    fn count(&mut self) {
        let mut slots = vec![0_u32; self.index.numbers()];
        for (slot, number) in (1..).zip(&self.candidates) {
            if let Some(place) = slots.get_mut(*number) {
                *place = slot;
            }
        }
        let parts = self.index.parts();
        for (column, term) in self.terms.iter().enumerate() {
            for word in &term.words {
                let Some((first, segment)) = parts.get(word.part) else {
                    continue;
                };
                for posting in segment.lexicon.postings(word.number) {
                    let slot = slots.get(first + wide(posting.document));
                    let Some(row) = slot.and_then(|slot| wide(*slot).checked_sub(1)) else {
                        continue;
                    };
                    if let Some(counts) = self.counts.get_mut(row * self.terms.len() + column) {
                        *counts = counts.union(posting.counts);
                    }
                }
            }
        }
    }

    /// The features of each candidate, with its number.
    pub(super) fn features(&self, scores: &Scores) -> Vec<(usize, Features)> {
        let rows = self.counts.chunks(self.terms.len().max(1));
        let candidates = self.candidates.iter().zip(rows);
        candidates
            .map(|(number, counts)| {
                let score = scores.scores.get(*number).copied().unwrap_or_default();
                (*number, self.examine(*number, score, counts))
            })
            .collect()
    }

    fn examine(&self, number: usize, score: f32, counts: &[Counts]) -> Features {
        let covered = |is_found: &dyn Fn(Counts) -> bool| {
            let found = counts.iter().zip(&self.rarities);
            let found = found.filter(|(counts, _)| is_found(**counts));
            found.map(|(_, rarity)| rarity).sum::<f32>() / self.total
        };
        let field = |field| covered(&|counts: Counts| counts.get(field) > 0);
        let in_head = |counts: Counts| {
            counts.get(Field::Name) + counts.get(Field::Description) + counts.get(Field::Keywords)
                > 0
        };
        let [name, description, when, keywords, body] = Field::ALL.map(field);
        let one_field = name.max(description).max(when).max(body);
        let rarest = counts
            .iter()
            .zip(&self.rarities)
            .max_by(|left, right| left.1.total_cmp(right.1));
        let rarest_in_head = rarest.is_some_and(|(counts, _)| in_head(*counts));

        let (segment, position) = self.index.locate(number);
        let head = Head::new(segment.head(position));
        let order = Order::new(self.terms, &self.rarities, &head);
        let document = segment.documents.get(position);
        let [_, described, when_words, ..] = document.map(|it| it.lengths).unwrap_or_default();
        let is_deprecated = document.is_some_and(|it| it.state == State::Deprecated);

        [
            score / self.total,
            score / self.best,
            covered(&|counts| counts.0 > 0),
            self.leading(counts),
            covered(&in_head),
            name,
            description,
            when,
            keywords,
            body,
            one_field * one_field,
            flag(rarest_in_head),
            order.name_matched,
            order.name_in_query,
            order.phrases,
            order.proximity,
            order.early,
            (1.0 + real(described.min(100))).ln() / 4.7,
            flag(when_words > 0),
            flag(is_deprecated),
        ]
    }

    /// The same share, but the first words of the query count more: models put the most specific first.
    fn leading(&self, counts: &[Counts]) -> f32 {
        let mut found = 0.0;
        let mut all = f32::MIN_POSITIVE;
        for ((counts, rarity), position) in counts.iter().zip(&self.rarities).zip(0_u16..) {
            let weight = rarity / (1.0 + f32::from(position) / 3.0);
            all += weight;
            found += if counts.0 > 0 { weight } else { 0.0 };
        }
        found / all
    }
}

fn flag(is_set: bool) -> f32 {
    f32::from(u8::from(is_set))
}

/// The words of name, description and "when to use", in order.
struct Head<'a> {
    name: &'a [u16],
    text: &'a [u16],
}

impl<'a> Head<'a> {
    fn new(head: &'a [u16]) -> Self {
        let end = head
            .iter()
            .position(|word| *word == 0)
            .unwrap_or(head.len());
        let (name, text) = head.split_at_checked(end).unwrap_or_default();
        Self { name, text }
    }
}

/// What the order of words says.
struct Order {
    /// The share of the name's last words that the query has.
    name_matched: f32,
    /// Whether the query has the whole name.
    name_in_query: f32,
    /// The share of neighbours in the query that are neighbours in the head.
    phrases: f32,
    /// How close to each other different words of the query come.
    proximity: f32,
    /// How near to the beginning the words come.
    early: f32,
}

impl Order {
    fn new(terms: &[Term], rarities: &[f32], head: &Head<'_>) -> Self {
        let term_of = |word: &u16| terms.iter().position(|term| term.stems.contains(word));
        let name: Vec<Option<usize>> = head.name.iter().map(term_of).collect();
        let text: Vec<Option<usize>> = head.text.iter().map(term_of).collect();
        let rarity = |term: usize| rarities.get(term).copied().unwrap_or_default();

        // The words of collections come first in an id and say less than the name itself.
        let matched = name.iter().flatten().count();
        let tail = name.iter().rev().take_while(|term| term.is_some()).count();
        let name_matched = real(narrow(matched)) / real(narrow(name.len().max(1)));
        let name_in_query = flag(tail >= 2);

        let mut phrases = vec![false; terms.len()];
        let mut first: Vec<Option<usize>> = vec![None; terms.len()];
        let (mut proximity, mut pairs) = (0.0, f32::MIN_POSITIVE);
        for words in [&name, &text] {
            let mut last: Option<(usize, usize)> = None;
            for (position, term) in words.iter().enumerate() {
                let Some(term) = *term else { continue };
                if let Some(first) = first.get_mut(term) {
                    first.get_or_insert(position);
                }
                if let Some((before, at)) = last
                    && before != term
                {
                    let gap = position - at;
                    if gap == 1
                        && term == before + 1
                        && let Some(found) = phrases.get_mut(before)
                    {
                        *found = true;
                    }
                    let weight = rarity(before).min(rarity(term));
                    proximity += weight / real(narrow(gap));
                    pairs += weight;
                }
                last = Some((term, position));
            }
        }
        let weight = |(term, found): (usize, &bool)| {
            let pair = rarity(term).min(rarity(term + 1));
            (pair, if *found { pair } else { 0.0 })
        };
        let neighbours = phrases
            .iter()
            .enumerate()
            .take(terms.len().saturating_sub(1))
            .map(weight);
        let (all, found) = neighbours
            .fold((f32::MIN_POSITIVE, 0.0), |(all, found), (pair, hit)| {
                (all + pair, found + hit)
            });
        let total: f32 = rarities.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let early = first.iter().enumerate().filter_map(|(term, first)| {
            let position = real(narrow((*first)?));
            Some(rarity(term) / (1.0 + position / 8.0))
        });
        Self {
            name_matched,
            name_in_query,
            phrases: found / all,
            proximity: proximity / pairs,
            early: early.sum::<f32>() / total,
        }
    }
}
