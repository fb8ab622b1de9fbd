//! Prose as sentences of acts and objects.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::forms;
use super::lexicon::{Concept, LEXICON};
use crate::limits::PROSE_MARKS;

/// A concept and where it stands in the prose.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) concept: Concept,
    pub(super) at: Range<usize>,
    /// Whether a negation stands directly in front of it, or behind it as in Japanese.
    pub(super) negated: bool,
}

/// A sentence, an item of a list or a row of a table.
#[derive(Debug)]
pub(super) struct Sentence {
    pub(super) at: Range<usize>,
    /// Its number, with those that have no mark.
    pub(super) number: usize,
    /// The number of its line.
    pub(super) line: usize,
    /// Whether a section begins with it.
    pub(super) is_heading: bool,
    pub(super) marks: Vec<Mark>,
}

impl Sentence {
    /// Whether it has an act and an object.
    pub(super) fn is_instruction(&self) -> bool {
        let act = self.marks.iter().any(|mark| mark.concept.is_act());
        let object = self
            .marks
            .iter()
            .any(|mark| !mark.concept.is_act() && mark.concept != Concept::Not);
        act && object
    }

    /// The first mark of a concept that is not negated.
    pub(super) fn find(&self, concepts: &[Concept]) -> Option<&Mark> {
        self.marks
            .iter()
            .find(|mark| !mark.negated && concepts.contains(&mark.concept))
    }

    /// The first mark of a concept that is negated.
    pub(super) fn find_negated(&self, concepts: &[Concept]) -> Option<&Mark> {
        self.marks
            .iter()
            .find(|mark| mark.negated && concepts.contains(&mark.concept))
    }

    /// The first mark of a concept, negated or not.
    pub(super) fn any(&self, concepts: &[Concept]) -> Option<&Mark> {
        self.marks
            .iter()
            .find(|mark| concepts.contains(&mark.concept))
    }
}

/// Bytes between a negation and the act that it negates.
const NEGATION_REACH: usize = 28;

/// Verbs that a negation turns into a demand: "do not forget to send it".
const LEFT_UNDONE: &[&str] = &[
    " forget", " hesitat", " fail", " neglect", " omit", " wait", " delay", " refrain", " worry",
    " miss ",
];

struct Words {
    automaton: AhoCorasick,
    entries: Vec<Entry>,
}

struct Entry {
    concept: Concept,
    whole: bool,
    /// Whether it begins with a letter.
    begins_word: bool,
    /// Chinese and Japanese: no blanks between words.
    unspaced: bool,
}

static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    let mut entries = Vec::new();
    for (concept, words) in LEXICON {
        for word in *words {
            let text = word.strip_suffix('$').unwrap_or(word);
            texts.push(text);
            entries.push(Entry {
                concept: *concept,
                whole: word.ends_with('$'),
                begins_word: text.starts_with(char::is_alphanumeric),
                unspaced: text.chars().any(is_unspaced),
            });
        }
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(texts)
        .ok()?;
    Some(Words { automaton, entries })
});

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The sentences of a text that have a mark.
pub(super) struct Sentences {
    pub(super) read: Vec<Sentence>,
    /// Whether there are more marks than are read; what stands behind them is not judged.
    pub(super) is_crowded: bool,
}

/// The sentences of lower-case prose that have a mark.
pub(super) fn sentences(text: &str) -> Sentences {
    let mut marks = words(text);
    let mut is_crowded = marks.len() >= PROSE_MARKS;
    forms::each(text, |concept, at| {
        marks.push(Mark {
            concept,
            at,
            negated: false,
        });
    });
    // Words inside of an address are not language.
    let urls: Vec<Range<usize>> = marks
        .iter()
        .filter(|mark| mark.concept == Concept::Url)
        .map(|mark| mark.at.clone())
        .collect();
    marks.retain(|mark| {
        let after = urls.partition_point(|url| url.start < mark.at.start);
        let inside = after
            .checked_sub(1)
            .and_then(|index| urls.get(index))
            .is_some_and(|url| mark.at.start < url.end);
        !inside
            || matches!(
                mark.concept,
                Concept::PasteHost | Concept::Archive | Concept::Binary
            )
    });
    marks.sort_by_key(|mark| (mark.at.start, mark.at.end, mark.concept));
    marks.dedup_by_key(|mark| (mark.at.start, mark.at.end, mark.concept));
    is_crowded |= marks.len() > PROSE_MARKS;
    marks.truncate(PROSE_MARKS);
    let mut read = Vec::new();
    let mut marks = marks.into_iter().peekable();
    let mut line = 0;
    for (number, at) in split(text).into_iter().enumerate() {
        let mut own = Vec::new();
        while let Some(mark) = marks.next_if(|mark| mark.at.start < at.end) {
            own.push(mark);
        }
        let content = text.get(at.clone()).unwrap_or_default();
        if !own.is_empty() && is_speech(content) {
            negate(text, &mut own);
            read.push(Sentence {
                at,
                number,
                line,
                is_heading: content.trim_start().starts_with('#'),
                marks: own,
            });
        }
        line += usize::from(content.ends_with('\n'));
    }
    Sentences { read, is_crowded }
}

fn words(text: &str) -> Vec<Mark> {
    let Some(words) = &*WORDS else {
        return Vec::new();
    };
    let mut marks = Vec::new();
    for found in words.automaton.find_overlapping_iter(text) {
        let Some(entry) = words.entries.get(found.pattern().as_usize()) else {
            continue;
        };
        let before = text
            .get(..found.start())
            .and_then(|it| it.chars().next_back());
        let after = text.get(found.end()..).and_then(|it| it.chars().next());
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        // `.zip` stands behind the letters of a name.
        let joined = is_letter(before) && entry.begins_word;
        if !entry.unspaced && (joined || entry.whole && is_letter(after)) {
            continue;
        }
        marks.push(Mark {
            concept: entry.concept,
            at: found.start()..found.end(),
            negated: false,
        });
        if marks.len() >= PROSE_MARKS {
            break;
        }
    }
    marks
}

/// Whether a sentence is language and not a line of a program.
fn is_speech(sentence: &str) -> bool {
    let marks = sentence
        .bytes()
        .filter(|byte| b"(){}[]=<>;$&\\".contains(byte))
        .count();
    marks * 12 <= sentence.len()
}

/// Sentences end with a line or with a full stop that a blank follows.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let ends = match c {
            '\n' | '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            ranges.push(start..end);
            start = end;
        }
    }
    ranges.push(start..text.len());
    ranges
}

fn negate(text: &str, marks: &mut [Mark]) {
    let negations: Vec<Range<usize>> = marks
        .iter()
        .filter(|mark| mark.concept == Concept::Not)
        .map(|mark| mark.at.clone())
        .collect();
    for mark in marks.iter_mut().filter(|mark| mark.concept != Concept::Not) {
        mark.negated = negations.iter().any(|not| {
            let between = |from: usize, to: usize, reach: usize| {
                from <= to
                    && to - from <= reach
                    && text.get(from..to).is_some_and(|gap| {
                        !gap.contains([',', ':', '—', '(', '，', '、'])
                            && !LEFT_UNDONE.iter().any(|verb| gap.contains(verb))
                    })
            };
            let follows = text.get(not.clone()).is_some_and(|it| {
                it.chars()
                    .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}'))
            });
            // A plain "no" belongs to the word behind it.
            let reach = match (text.get(not.clone()), mark.concept) {
                (Some("no"), Concept::Ask) => 12,
                (Some("no"), _) => 2,
                _ => NEGATION_REACH,
            };
            // German puts it behind: "erwähne das nicht".
            let behind =
                text.get(not.clone()) == Some("nicht") && between(mark.at.end, not.start, 48);
            behind
                || between(not.end, mark.at.start, reach)
                || follows && between(mark.at.end, not.start, 12)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<(Concept, bool)> {
        sentences(text)
            .read
            .into_iter()
            .flat_map(|sentence| sentence.marks)
            .map(|mark| (mark.concept, mark.negated))
            .collect()
    }

    #[test]
    fn acts_are_found_in_eight_languages() {
        for text in [
            "do not tell the user",
            "不要告诉用户",
            "no informe al usuario",
            "ne dites pas à l'utilisateur; jamais informer l'utilisateur",
            "niemals dem benutzer sagen",
            "não diga ao usuário",
            "не сообщай пользователю",
            "ユーザーに伝えないで",
        ] {
            let found = marks(text);
            assert!(found.contains(&(Concept::Tell, true)), "{text}: {found:?}");
            assert!(
                found.iter().any(|(concept, _)| *concept == Concept::User),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn a_negation_of_another_verb_reaches_no_act() {
        for text in [
            "never forget to send it",
            "do not hesitate to send it",
            "don't wait and send it",
        ] {
            assert!(marks(text).contains(&(Concept::Send, false)), "{text}");
        }
        assert!(marks("do not ever send it").contains(&(Concept::Send, true)));
    }

    #[test]
    fn a_negation_reaches_one_act() {
        let found = marks("never send it, upload it");
        assert_eq!(
            found,
            [
                (Concept::Not, false),
                (Concept::Send, true),
                (Concept::Send, false)
            ]
        );
    }
}
