//! Which acts on which objects are findings.

mod conduct;
mod obedience;
mod privacy;
mod setup;

use std::ops::Range;

use super::Surroundings;
use super::lexicon::Concept;
use super::passage::{Mark, Sentence};
use crate::address::{Address, is_local};
use crate::report::Severity;

/// An act that a rule objects to.
pub(super) struct Act {
    pub(super) rule: &'static str,
    /// If it is not that of the rule.
    pub(super) severity: Option<Severity>,
    pub(super) at: Range<usize>,
    pub(super) steps: Vec<(Range<usize>, &'static str)>,
}

impl Act {
    fn new(rule: &'static str, steps: Vec<(&Mark, &'static str)>) -> Self {
        let starts = steps.iter().map(|(mark, _)| mark.at.start);
        let ends = steps.iter().map(|(mark, _)| mark.at.end);
        Self {
            rule,
            severity: None,
            at: starts.min().unwrap_or_default()..ends.max().unwrap_or_default(),
            steps: steps
                .into_iter()
                .map(|(mark, what)| (mark.at.clone(), what))
                .collect(),
        }
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    fn high_if(self, condition: bool) -> Self {
        if condition {
            self.severity(Severity::High)
        } else {
            self
        }
    }

    fn low_if(self, condition: bool) -> Self {
        if condition {
            self.severity(Severity::Low)
        } else {
            self
        }
    }
}

/// Bytes between the first and the last part of one instruction.
const REACH: usize = 600;

/// The sentence at `index` and the next `more`, as far as they belong together.
fn window(sentences: &[Sentence], index: usize, more: usize, joins_lines: bool) -> &[Sentence] {
    let rest = sentences.get(index..).unwrap_or_default();
    let Some(first) = rest.first() else {
        return rest;
    };
    let count = rest
        .iter()
        .take_while(|sentence| {
            // Empty lines are sentences without words.
            sentence.number <= first.number + 2 * more
                && sentence.at.start < first.at.start + REACH
                && (sentence.line == first.line || joins_lines && !sentence.is_heading)
        })
        .take(more + 1)
        .count();
    rest.get(..count.max(1)).unwrap_or(rest)
}

/// The sentence before, if it belongs to this one, and this one.
fn past(sentences: &[Sentence], before: usize, index: usize, joins_lines: bool) -> &[Sentence] {
    let belongs = window(sentences, before, index - before, joins_lines).len() > index - before;
    let start = if belongs { before } else { index };
    sentences.get(start..=index).unwrap_or_default()
}

fn find<'s>(window: &'s [Sentence], concepts: &[Concept]) -> Option<&'s Mark> {
    window.iter().find_map(|sentence| sentence.find(concepts))
}

/// Every act that a rule objects to.
pub(super) fn judge(
    text: &str,
    sentences: &[Sentence],
    around: &Surroundings,
    joins_lines: bool,
) -> Vec<Act> {
    let head = text
        .strip_prefix("---")
        .and_then(|rest| rest.find("\n---"))
        .unwrap_or_default();
    let mut acts = Vec::new();
    for (index, sentence) in sentences.iter().enumerate() {
        let before = index.saturating_sub(1);
        let passage = Passage {
            text,
            head,
            sentence,
            past: past(sentences, before, index, joins_lines),
            near: window(sentences, index, 1, joins_lines),
            wide: window(sentences, index, 3, joins_lines),
            around,
            joins_lines,
        };
        acts.extend(passage.obedience());
        acts.extend(passage.setup());
        acts.extend(passage.privacy());
        acts.extend(passage.conduct());
    }
    acts
}

/// One sentence and what stands around it.
struct Passage<'s> {
    text: &'s str,
    /// Where the frontmatter ends.
    head: usize,
    sentence: &'s Sentence,
    /// The sentence before, and this one.
    past: &'s [Sentence],
    /// This one, and the next.
    near: &'s [Sentence],
    /// This one, and the next three.
    wide: &'s [Sentence],
    around: &'s Surroundings,
    /// Whether the file is a document, not a program or data.
    joins_lines: bool,
}

impl Passage<'_> {
    fn slice(&self, mark: &Mark) -> &str {
        self.text.get(mark.at.clone()).unwrap_or_default()
    }

    fn says(&self, words: &[&str]) -> bool {
        let text = self.text.get(self.sentence.at.clone()).unwrap_or_default();
        words.iter().any(|word| text.contains(word))
    }

    /// Whether the words are close behind a mark.
    fn followed_by(&self, mark: &Mark, reach: usize, words: &[&str]) -> bool {
        let rest = self.text.get(mark.at.end..).unwrap_or_default();
        let rest = rest
            .get(..rest.floor_char_boundary(reach))
            .unwrap_or_default();
        let rest = rest.split('\n').next().unwrap_or_default();
        let rest = rest.split(". ").next().unwrap_or_default();
        words.iter().any(|word| rest.contains(word))
    }

    /// An address that is not on this machine.
    fn remote(&self) -> Option<&Mark> {
        self.sentence
            .marks
            .iter()
            .find(|mark| mark.concept == Concept::Url && !is_local(self.slice(mark)))
    }
}

/// Whether people read there how to install well-known software.
fn is_documentation(url: &str) -> bool {
    Address::parse(url).is_some_and(|address| address.is_documentation())
}
