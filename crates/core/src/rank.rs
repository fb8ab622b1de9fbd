//! Which skills a conversation is likely to need.

use std::collections::{BTreeSet, HashMap};

use crate::catalog::Catalog;
use crate::id::SkillId;
use crate::search::is_stop;

/// What is known about a conversation when it begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// Skills that the user wants to see first.
    pub pinned: &'a [SkillId],
    /// The first message.
    pub message: &'a str,
    /// Words about the project: its languages, its tools, the names of its files.
    pub project: &'a [String],
    /// Skills that were used in this project before, the latest first.
    pub recent: &'a [SkillId],
}

/// Words of a text that are compared.
const WORDS: usize = 64;
/// Letters that two forms of one word share.
const STEM: usize = 3;
/// Letters that an ending has at most.
const ENDING: usize = 4;
/// A word in the name of a skill, beside one in its description.
const NAME_WEIGHT: f64 = 3.0;
/// A word about the project, beside one of the message.
const PROJECT_WEIGHT: f64 = 0.5;
/// The last used skill, beside a rare word of the message.
const RECENT_WEIGHT: f64 = 4.0;

/// The skills for which something speaks, the likeliest first.
pub(crate) fn rank(catalog: &Catalog, hints: &Hints<'_>) -> Vec<SkillId> {
    let terms = Terms::new(hints);
    let mut counts = vec![0_u32; terms.all.len()];
    let mut matches = Vec::new();
    for (position, skill) in catalog.skills().enumerate() {
        let name = terms.matching(skill.descriptor.name());
        let described = terms.matching(&skill.descriptor.description);
        let both = name | described;
        if both != 0 {
            for (term, count) in counts.iter_mut().enumerate() {
                *count += u32::from(both & (1 << term) != 0);
            }
            matches.push((position, name, described));
        }
    }
    let mut scores: HashMap<&SkillId, f64> = HashMap::new();
    let total = f64::from(u32::try_from(catalog.len()).unwrap_or(u32::MAX));
    for (position, name, described) in matches {
        let Some(skill) = catalog.at(position) else {
            continue;
        };
        let terms = terms.all.iter().zip(&counts).enumerate();
        let score = terms.map(|(bit, (term, count))| {
            let weight = (1.0 + total / f64::from(*count).max(1.0)).ln() * term.weight;
            let found = |mask: u64| f64::from(u8::from(mask & (1 << bit) != 0));
            weight * (found(name) * NAME_WEIGHT).max(found(described))
        });
        scores.insert(&skill.descriptor.id, score.sum());
    }
    for (weight, id) in (1_u32..).zip(hints.recent) {
        if let Some(skill) = catalog.get(id.as_str()) {
            let score = scores.entry(&skill.descriptor.id).or_default();
            *score += RECENT_WEIGHT / f64::from(weight);
        }
    }
    let pinned: BTreeSet<&SkillId> = hints.pinned.iter().collect();
    let mut likely: Vec<(&SkillId, f64)> = scores.into_iter().collect();
    likely.retain(|(id, _)| !pinned.contains(id));
    likely.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    let likely = likely.into_iter().map(|(id, _)| id.clone());
    hints.pinned.iter().cloned().chain(likely).collect()
}

struct Term {
    word: String,
    weight: f64,
}

/// The words to look for; one bit of a mask for each.
struct Terms {
    all: Vec<Term>,
    by_stem: HashMap<[char; STEM], Vec<usize>>,
    /// The first letters of all.
    initials: u64,
}

impl Terms {
    fn new(hints: &Hints<'_>) -> Self {
        let mut terms = Self {
            all: Vec::new(),
            by_stem: HashMap::new(),
            initials: 0,
        };
        for word in words(hints.message) {
            terms.add(word, 1.0);
        }
        for word in hints.project.iter().flat_map(|text| words(text)) {
            terms.add(word, PROJECT_WEIGHT);
        }
        terms
    }

    fn add(&mut self, word: String, weight: f64) {
        let known = self.all.iter().any(|term| term.word == word);
        if known || self.all.len() == WORDS || is_stop(&word) {
            return;
        }
        let stem = stem(&word);
        self.initials |= initial(stem);
        let same = self.by_stem.entry(stem).or_default();
        same.push(self.all.len());
        self.all.push(Term { word, weight });
    }

    /// The terms that a text contains.
    fn matching(&self, text: &str) -> u64 {
        let mut mask = 0;
        for word in raw_words(text) {
            let stem = stem(word);
            // Nearly every word is no term, and begins with another letter than each of them.
            if self.initials & initial(stem) == 0 {
                continue;
            }
            let Some(indices) = self.by_stem.get(&stem) else {
                continue;
            };
            let word = word.to_lowercase();
            for &index in indices {
                let term = self.all.get(index);
                if term.is_some_and(|term| is_form(&term.word, &word)) {
                    mask |= 1 << index;
                }
            }
        }
        mask
    }
}

/// The first letters of a word in lower case.
fn stem(word: &str) -> [char; STEM] {
    let mut stem = ['\0'; STEM];
    let letters = word.chars().flat_map(char::to_lowercase);
    for (place, letter) in stem.iter_mut().zip(letters) {
        *place = letter;
    }
    stem
}

/// One bit for the first letter.
fn initial(stem: [char; STEM]) -> u64 {
    let [first, ..] = stem;
    1 << (u32::from(first) % u64::BITS)
}

/// Whether two words differ only in a short ending.
fn is_form(a: &str, b: &str) -> bool {
    let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let ending = a.len().max(b.len()) - shared;
    a == b || shared >= STEM && ending <= ENDING.min(shared)
}

/// The words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    raw_words(text).map(str::to_lowercase)
}

fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word() {
        for (a, b, same) in [
            ("deploy", "deploys", true),
            ("review", "reviewing", true),
            ("deploy", "deployment", true),
            ("cat", "catalog", false),
            ("pdf", "pdf", true),
            ("pdf", "pdfs", true),
            ("test", "testament", false),
            ("go", "google", false),
            ("rust", "ruby", false),
        ] {
            assert_eq!(is_form(a, b), same, "{a} {b}");
        }
    }
}
