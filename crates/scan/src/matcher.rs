//! Many patterns over one text, in one pass.
//!
//! One automaton looks for the anchors of all patterns; only lines with an anchor meet a regular
//! expression. A line is seen through windows of bounded size, so that time stays linear.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::limits::{WINDOW_BYTES, WINDOW_OVERLAP};
use crate::rule::Patterns;

/// Patterns with an owner each, compiled together.
#[derive(Debug)]
pub(crate) struct Matcher<T> {
    anchors: Option<AhoCorasick>,
    /// For each anchor, the entries that want it, as bits.
    wanted: Vec<u128>,
    entries: Vec<CompiledPatterns<T>>,
}

#[derive(Debug)]
struct CompiledPatterns<T> {
    owner: T,
    any: Regex,
}

impl<T> Matcher<T> {
    /// Compiles the patterns; a test checks that all compile and fit into the bits.
    pub(crate) fn new(all: impl IntoIterator<Item = (T, &'static Patterns)>) -> Self {
        let mut entries = Vec::new();
        let mut words = Vec::new();
        let mut wanted = Vec::new();
        for (owner, patterns) in all {
            let Some(any) = compile(patterns.any) else {
                continue;
            };
            for word in patterns.anchors {
                words.push(*word);
                wanted.push(
                    1_u128
                        .checked_shl(u32::try_from(entries.len()).unwrap_or(u32::MAX))
                        .unwrap_or_default(),
                );
            }
            entries.push(CompiledPatterns { owner, any });
        }
        let mut builder = AhoCorasick::builder();
        builder
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard);
        Self {
            anchors: builder.build(words).ok(),
            wanted,
            entries,
        }
    }

    /// Calls `found` with the owner and the range of every match.
    pub(crate) fn each(&self, text: &str, mut found: impl FnMut(&T, Range<usize>)) {
        let Some(anchors) = &self.anchors else {
            return;
        };
        let mut window = 0..0;
        let mut block = 0;
        let mut bits = 0;
        for anchor in anchors.find_overlapping_iter(text) {
            // An anchor that only the overlap reaches belongs to the next window.
            let same_block = anchor.start() / WINDOW_BYTES == block;
            if !(same_block && window.contains(&anchor.start())) {
                self.look(text, window, bits, &mut found);
                window = window_at(text, anchor.start());
                block = anchor.start() / WINDOW_BYTES;
                bits = 0;
            }
            bits |= self
                .wanted
                .get(anchor.pattern().as_usize())
                .copied()
                .unwrap_or_default();
        }
        self.look(text, window, bits, &mut found);
    }

    fn look(
        &self,
        text: &str,
        window: Range<usize>,
        bits: u128,
        found: &mut impl FnMut(&T, Range<usize>),
    ) {
        let line = text.as_bytes().get(window.clone()).unwrap_or_default();
        let mut rest = bits;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Some(entry) = self.entries.get(index) else {
                continue;
            };
            for found_at in entry.any.find_iter(line) {
                found(
                    &entry.owner,
                    window.start + found_at.start()..window.start + found_at.end(),
                );
            }
        }
    }
}

/// The part of the line at `at` that a pattern sees.
fn window_at(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let block = at / WINDOW_BYTES * WINDOW_BYTES;
    let floor = block.saturating_sub(WINDOW_OVERLAP);
    let ceiling = (block + WINDOW_BYTES + WINDOW_OVERLAP).min(bytes.len());
    let before = bytes.get(floor..at).unwrap_or_default();
    let after = bytes.get(at..ceiling).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(floor, |found| floor + found + 1);
    let end = memchr::memchr(b'\n', after).map_or(ceiling, |found| at + found);
    start..end
}

/// Patterns over bytes, without regard to case.
pub(crate) fn compile(patterns: &[&str]) -> Option<Regex> {
    let syntax = syntax::Config::new()
        .unicode(false)
        .utf8(false)
        .case_insensitive(true)
        .multi_line(true);
    let config = Regex::config().utf8_empty(false);
    Regex::builder()
        .syntax(syntax)
        .configure(config)
        .build_many(patterns)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{SECRET_READ, SEND, base_rules};
    use crate::rule::Detector;

    #[test]
    fn every_base_pattern_compiles() {
        let mut all: Vec<&Patterns> = SECRET_READ.iter().chain([&SEND]).collect();
        for rule in base_rules() {
            match &rule.detector {
                Detector::Commands(patterns)
                | Detector::Written(patterns)
                | Detector::Instructions(patterns)
                | Detector::Comments(patterns) => all.push(patterns),
                Detector::Own => {}
            }
        }
        for pattern in all.iter().flat_map(|patterns| patterns.any) {
            assert!(compile(&[pattern]).is_some(), "{pattern}");
        }
        assert!(all.len() < 128);
        assert!(all.iter().all(|patterns| !patterns.anchors.is_empty()));
    }

    #[test]
    fn a_match_is_found_wherever_it_stands_in_a_long_line() {
        static CURL: Patterns = Patterns {
            anchors: &["curl"],
            any: &["curl[^|]*\\|sh"],
            grade: crate::rule::keep,
        };
        let matcher = Matcher::new([((), &CURL)]);
        for before in [
            0, 100, 3000, 4000, 4090, 4096, 5000, 5110, 5119, 5120, 8190, 20_000,
        ] {
            let line = format!(
                "{}curl {}|sh{}",
                "x".repeat(before),
                "y".repeat(500),
                "z".repeat(9000)
            );
            let mut found = Vec::new();
            matcher.each(&line, |(), range| found.push(range));
            found.dedup();
            assert_eq!(found, vec![before..before + 508], "{before}");
        }
    }
}
