//! The words that a builder has met, each with a number.
//!
//! Looking up words takes most of the time of building an index, and most of that is waiting for memory. So a short word
//! is sixteen bytes, which are compared without following a pointer, and words that occur all the time are found in a
//! table that is small enough to stay in a cache.

use hashbrown::HashTable;

use super::lexicon::{narrow, wide};
use super::pages::Pages;

/// Slots for words that were looked up lately.
const RECENT: usize = 16_384;
/// Longer words are compared as text.
const SHORT: usize = 15;

/// Sixteen bytes that stand for a word: those of a short word and its length, or a hash of a longer one and where its text
/// is. The last byte is the length, up to one more than that of a short word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WordKey([u8; 16]);

impl WordKey {
    /// The key to look a word up. That of a long word does not say where its text is.
    fn new(word: &str) -> Self {
        let bytes = word.as_bytes();
        let length = bytes.len();
        let tag = (length.min(SHORT + 1) as u64) << 56;
        let (first, last) = (bytes.first_chunk(), bytes.last_chunk());
        match (first, last) {
            _ if length > SHORT => Self::of(hash(word), tag),
            (Some(first), Some(last)) => {
                // The bytes after the eighth, which the last eight end with.
                let rest = u64::from_le_bytes(*last)
                    .checked_shr(8 * narrow(16_usize.saturating_sub(length)))
                    .unwrap_or(0);
                Self::of(u64::from_le_bytes(*first), rest | tag)
            }
            _ => Self::of(fold(bytes), tag),
        }
    }

    fn of(first: u64, second: u64) -> Self {
        Self((u128::from(first) | u128::from(second) << 64).to_le_bytes())
    }

    fn halves(self) -> (u64, u64) {
        let half = |half: Option<&[u8; 8]>| half.map_or(0, |half| u64::from_le_bytes(*half));
        (half(self.0.first_chunk()), half(self.0.last_chunk()))
    }

    fn is_short(self) -> bool {
        self.0
            .last()
            .is_some_and(|length| usize::from(*length) <= SHORT)
    }

    /// The key of a long word with the place of its text.
    fn with_place(self, start: u32, length: u16) -> Self {
        let (hash, tag) = self.halves();
        Self::of(hash, tag | u64::from(length) << 32 | u64::from(start))
    }

    /// The word, which is in `texts` if it is long.
    fn text<'t>(&'t self, texts: &'t str) -> &'t str {
        let [short @ .., length] = &self.0;
        if self.is_short() {
            let short = short.get(..usize::from(*length)).unwrap_or_default();
            return std::str::from_utf8(short).unwrap_or_default();
        }
        let (_, place) = self.halves();
        let start = wide((place & 0xffff_ffff) as u32);
        let length = (place >> 32 & 0xffff) as usize;
        texts.get(start..start + length).unwrap_or_default()
    }

    /// The same for a long word whether it has a place or not. Which of the bits are used is the table's matter.
    fn mixed(self) -> u64 {
        let (first, second) = self.halves();
        let second = if self.is_short() { second } else { 0 };
        let mixed = (first ^ second.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    }
}

/// Fewer than eight bytes as a number.
fn fold(bytes: &[u8]) -> u64 {
    let numbers = bytes.iter().rev();
    numbers.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Every word, with a `T` for each. A word has the same number for as long as the table lives.
#[derive(Debug)]
pub(super) struct WordTable<T> {
    entries: Pages<Entry<T>>,
    /// Long words, one after the other.
    texts: String,
    numbers: HashTable<u32>,
    recent: Vec<u32>,
}

#[derive(Debug)]
struct Entry<T> {
    key: WordKey,
    value: T,
}

impl<T> Default for WordTable<T> {
    fn default() -> Self {
        Self {
            entries: Pages::default(),
            texts: String::new(),
            numbers: HashTable::new(),
            recent: vec![0; RECENT],
        }
    }
}

impl<T> WordTable<T> {
    /// What belongs to a word; `make` makes it for one that is new. None for a word longer than any that can be indexed.
    #[inline]
    pub(super) fn get(&mut self, word: &str, make: impl FnOnce() -> T) -> Option<&mut T> {
        let length = u16::try_from(word.len()).ok()?;
        let key = WordKey::new(word);
        let slot = wide(narrow(RECENT - 1) & (key.mixed() & 0xffff_ffff) as u32);
        let recent = self.recent.get(slot).copied().unwrap_or_default();
        let entry = self.entries.get(recent);
        // A long word has another key in its entry.
        let number = if entry.is_some_and(|entry| entry.key == key) {
            recent
        } else {
            let number = self.look_up(word, length, key, make);
            if let Some(slot) = self.recent.get_mut(slot) {
                *slot = number;
            }
            number
        };
        self.entries.get_mut(number).map(|entry| &mut entry.value)
    }

    fn look_up(&mut self, word: &str, length: u16, key: WordKey, make: impl FnOnce() -> T) -> u32 {
        let is_it = |number: &u32| {
            let entry = self.entries.get(*number);
            entry.is_some_and(|entry| {
                if key.is_short() {
                    entry.key == key
                } else {
                    entry.key.text(&self.texts) == word
                }
            })
        };
        if let Some(number) = self.numbers.find(key.mixed(), is_it) {
            return *number;
        }
        let number = narrow(self.entries.len());
        let place = narrow(self.texts.len());
        self.entries.push(Entry {
            key: if key.is_short() {
                key
            } else {
                self.texts.push_str(word);
                key.with_place(place, length)
            },
            value: make(),
        });
        let entries = &self.entries;
        let hash = |number: &u32| {
            let entry = entries.get(*number);
            entry.map_or(0, |entry| entry.key.mixed())
        };
        self.numbers.insert_unique(key.mixed(), number, hash);
        number
    }

    /// Frees what only looking up needs.
    pub(super) fn close(&mut self) {
        self.numbers = HashTable::new();
        self.recent = Vec::new();
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Every word, in the order of their numbers.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter();
        entries.map(|entry| entry.key.text(&self.texts))
    }

    pub(super) fn text(&self, number: u32) -> &str {
        let entry = self.entries.get(number);
        entry.map_or("", |entry| entry.key.text(&self.texts))
    }

    pub(super) fn value(&self, number: u32) -> Option<&T> {
        self.entries.get(number).map(|entry| &entry.value)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }
}

/// A fast hash of a word that is the same on every machine.
pub(super) fn hash(word: &str) -> u64 {
    let mix = |sum: u64, next: u64| (sum.rotate_left(5) ^ next).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = word.as_bytes().as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let sum = mix(words.fold(0, mix), fold(rest) | (rest.len() as u64) << 56);
    sum ^ (sum >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_own_value() {
        let mut table: WordTable<usize> = WordTable::default();
        let words: Vec<String> = (0..20_000)
            .flat_map(|number: usize| {
                let length = number % 40;
                [
                    format!("{number}"),
                    format!("{}{number}", "x".repeat(length)),
                ]
            })
            .collect();
        let mut expected = std::collections::BTreeMap::new();
        for word in words.iter().chain(&words) {
            *expected.entry(word.as_str()).or_default() += 1;
            *table.get(word, || 0).unwrap() += 1;
        }
        let counts = (0..).map_while(|number| table.value(number).copied());
        let counted: std::collections::BTreeMap<&str, usize> = table.texts().zip(counts).collect();
        assert_eq!(counted.len(), table.len());
        assert_eq!(counted, expected);
    }

    #[test]
    fn short_words_have_keys_of_their_own() {
        let letters = "abcdefghijklmnopqrst";
        let start = |length: usize| letters.get(..length).unwrap();
        let mut keys = Vec::new();
        for length in 1..=SHORT {
            keys.push(WordKey::new(start(length)));
            keys.push(WordKey::new(&format!("{}z", start(length - 1))));
        }
        assert!(keys.iter().all(|key| key.is_short()));
        assert!(!WordKey::new(start(SHORT + 1)).is_short());
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
    }
}
