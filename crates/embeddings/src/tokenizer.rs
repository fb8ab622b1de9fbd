//! Texts as numbers of tokens, by the `tokenizer.json` of a static model.
//!
//! Three kinds of vocabulary are known: `WordPiece` (model2vec), `BPE` with `▁` for spaces (`WordLlama`) and `Unigram`. A
//! mean of vectors does not need every rule of a tokenizer: texts are split at spaces and, for `WordPiece`, at
//! punctuation, and tokens that the vocabulary does not have are left out.

use std::collections::HashMap;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word; longer ones are encoded data.
const WORD_BYTES: usize = 200;

#[derive(Debug)]
pub(crate) struct Tokenizer {
    numbers: HashMap<String, u32>,
    kind: Kind,
    is_lower: bool,
}

#[derive(Debug)]
enum Kind {
    /// The prefix of tokens that continue a word.
    WordPiece(String),
    /// The ranks of pairs that are joined.
    Bpe(HashMap<(String, String), u32>),
    /// The score of each token.
    Unigram(Vec<f64>),
}

impl Tokenizer {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let model = json.get("model").ok_or("it has no `model`")?;
        let vocabulary = model.get("vocab").ok_or("its model has no `vocab`")?;
        let kind = match model.get("type").and_then(Value::as_str) {
            Some("WordPiece") => {
                let prefix = model
                    .get("continuing_subword_prefix")
                    .and_then(Value::as_str);
                Kind::WordPiece(prefix.unwrap_or("##").to_owned())
            }
            Some("BPE") => Kind::Bpe(merges(model)),
            Some("Unigram") => Kind::Unigram(scores(vocabulary)),
            other => {
                let seen = other.unwrap_or("none");
                return Err(format!(
                    "its model is {seen}; expected WordPiece, BPE or Unigram"
                ));
            }
        };
        let normalizer = json
            .get("normalizer")
            .map(Value::to_string)
            .unwrap_or_default();
        Ok(Self {
            numbers: numbers(vocabulary),
            is_lower: normalizer.contains("\"lowercase\":true")
                || normalizer.contains("\"Lowercase\""),
            kind,
        })
    }

    /// The numbers of the tokens of a text.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for word in text
            .split_whitespace()
            .filter(|word| word.len() <= WORD_BYTES)
        {
            let lowered;
            let word = if self.is_lower {
                lowered = plain(word);
                &lowered
            } else {
                word
            };
            match &self.kind {
                Kind::WordPiece(prefix) => {
                    for part in parts(word) {
                        self.pieces(part, prefix, &mut tokens);
                    }
                }
                Kind::Bpe(ranks) => self.join(&format!("▁{word}"), ranks, &mut tokens),
                Kind::Unigram(scores) => self.best(&format!("▁{word}"), scores, &mut tokens),
            }
        }
        tokens
    }

    /// The longest token first, then the longest that continues it.
    fn pieces(&self, word: &str, prefix: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut start = 0;
        while start < word.len() {
            let found = (start + 1..=word.len()).rev().find_map(|end| {
                let piece = word.get(start..end)?;
                let number = if start == 0 {
                    self.numbers.get(piece)
                } else {
                    self.numbers.get(&format!("{prefix}{piece}"))
                };
                Some((*number?, end))
            });
            let Some((number, end)) = found else {
                // A word that is not made of tokens has none.
                tokens.truncate(before);
                return;
            };
            tokens.push(number);
            start = end;
        }
    }

    /// Joins neighbours, the pair that was learned first before all others.
    fn join(&self, word: &str, ranks: &HashMap<(String, String), u32>, tokens: &mut Vec<u32>) {
        let mut parts: Vec<String> = word.chars().map(String::from).collect();
        loop {
            let pairs = parts.iter().zip(parts.iter().skip(1)).enumerate();
            let ranked = pairs.filter_map(|(at, (left, right))| {
                Some((*ranks.get(&(left.clone(), right.clone()))?, at))
            });
            let Some((_, at)) = ranked.min() else {
                break;
            };
            let right = parts.remove(at + 1);
            if let Some(left) = parts.get_mut(at) {
                left.push_str(&right);
            }
        }
        tokens.extend(parts.iter().filter_map(|part| self.numbers.get(part)));
    }

    /// The tokens with the best sum of scores.
    fn best(&self, word: &str, scores: &[f64], tokens: &mut Vec<u32>) {
        const UNKNOWN: f64 = -100.0;
        let ends: Vec<usize> = word
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .collect();
        // For each end: the best sum, where its last token begins, and that token.
        let mut best: Vec<(f64, usize, Option<u32>)> = vec![(0.0, 0, None)];
        for (position, end) in ends.iter().enumerate() {
            let mut found = (f64::NEG_INFINITY, position, None);
            for from in (0..=position).rev().take(24) {
                let start = from
                    .checked_sub(1)
                    .and_then(|at| ends.get(at))
                    .copied()
                    .unwrap_or(0);
                let before = best.get(from).map_or(f64::NEG_INFINITY, |it| it.0);
                let number = word
                    .get(start..*end)
                    .and_then(|piece| self.numbers.get(piece));
                let score = number.and_then(|number| scores.get(*number as usize));
                let sum = match score {
                    Some(score) => before + score,
                    None if from == position => before + UNKNOWN,
                    None => continue,
                };
                if sum > found.0 {
                    found = (sum, from, number.copied());
                }
            }
            best.push(found);
        }
        let mut reversed: Vec<u32> = Vec::new();
        let mut at = ends.len();
        while at > 0 {
            let Some((_, from, number)) = best.get(at) else {
                break;
            };
            reversed.extend(number);
            at = *from;
        }
        tokens.extend(reversed.into_iter().rev());
    }
}

/// In lower case, without accents.
fn plain(word: &str) -> String {
    let decomposed = word.nfd().filter(|c| !is_combining_mark(*c));
    decomposed.flat_map(char::to_lowercase).collect()
}

/// Runs of letters and digits; any other character is a part by itself.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric())
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part)
    })
}

/// An object of tokens and numbers, or a list of tokens and scores.
fn numbers(vocabulary: &Value) -> HashMap<String, u32> {
    if let Some(list) = vocabulary.as_array() {
        let token = |entry: &Value| Some(entry.get(0)?.as_str()?.to_owned());
        let tokens = list.iter().zip(0..);
        return tokens
            .filter_map(|(entry, number)| Some((token(entry)?, number)))
            .collect();
    }
    let entries = vocabulary.as_object().into_iter().flatten();
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
    entries
        .filter_map(|(token, value)| Some((token.clone(), number(value)?)))
        .collect()
}

fn scores(vocabulary: &Value) -> Vec<f64> {
    let list = vocabulary.as_array().into_iter().flatten();
    list.map(|entry| entry.get(1).and_then(Value::as_f64).unwrap_or(-100.0))
        .collect()
}

/// Pairs as `"a b"` or `["a", "b"]`.
fn merges(model: &Value) -> HashMap<(String, String), u32> {
    let list = model.get("merges").and_then(Value::as_array);
    let pair = |entry: &Value| match entry {
        Value::String(text) => {
            let (left, right) = text.split_once(' ')?;
            Some((left.to_owned(), right.to_owned()))
        }
        Value::Array(parts) => match parts.as_slice() {
            [Value::String(left), Value::String(right)] => Some((left.clone(), right.clone())),
            _ => None,
        },
        _ => None,
    };
    let ranked = list.into_iter().flatten().zip(0..);
    ranked
        .filter_map(|(entry, rank)| Some((pair(entry)?, rank)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, text: &str, expected: &[u32]) {
        let tokenizer = Tokenizer::read(json.as_bytes()).unwrap();
        assert_eq!(tokenizer.encode(text), expected, "{text}");
    }

    #[test]
    fn word_pieces() {
        let json = r###"{"normalizer": {"type": "BertNormalizer", "lowercase": true},
            "model": {"type": "WordPiece", "vocab": {"fill": 0, "##ing": 1, "pdf": 2, ".": 3, "e": 4}}}"###;
        check(json, "Filling PDF.", &[0, 1, 2, 3]);
        check(json, "unknown é", &[4]);
    }

    #[test]
    fn pairs_are_joined_in_their_order() {
        let json = r#"{"model": {"type": "BPE", "vocab": {"▁": 0, "▁a": 1, "b": 2, "▁ab": 3, "a": 4},
            "merges": ["▁ a", ["▁a", "b"]]}}"#;
        check(json, "ab a", &[3, 1]);
        check(json, "bb", &[0, 2, 2]);
    }

    #[test]
    fn the_likeliest_tokens() {
        let json = r#"{"model": {"type": "Unigram", "vocab": [["▁", -3.0], ["▁ab", -1.0], ["▁a", -2.0], ["b", -2.0]]}}"#;
        check(json, "ab", &[1]);
        check(json, "abb", &[1, 3]);
        check(json, "ax", &[2]);
    }

    #[test]
    fn other_files_are_refused() {
        for json in [
            "",
            "[]",
            "{}",
            r#"{"model": {}}"#,
            r#"{"model": {"type": "X", "vocab": {}}}"#,
        ] {
            assert!(Tokenizer::read(json.as_bytes()).is_err(), "{json}");
        }
    }
}
