//! Instructions, read as acts: who is told to do what to which object.
//!
//! Words and forms become concepts ([`lexicon`], [`forms`]), sentences become sets of them ([`passage`]), and a rule
//! asks for acts and objects that belong together ([`rules`]). So a paraphrase is found, in any of eight languages, and
//! a single word is not.

mod forms;
mod lexicon;
mod passage;
mod rules;

use std::collections::BTreeSet;

use prowess_spec::Span;

use crate::scanner::Hit;
use crate::text::Text;

/// What the rules know about the skill beyond the text.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// The names of the files of the skill, without directories, in lower case.
    pub(crate) files: BTreeSet<String>,
    /// The description, in lower case.
    pub(crate) description: String,
}

/// Words of a description that say that something is sent.
const SENDING: &[&str] = &[
    "upload", "send", "share", "publish", "post", "sync", "deploy", "submit", "mail", "backup",
    "back up",
];

impl Surroundings {
    /// Whether the description says that something is sent.
    pub(crate) fn mentions_sending(&self) -> bool {
        self.mentions(SENDING)
    }

    /// Whether the description has one of the words, also in the plural or as another form of a verb. A word inside of
    /// another one is none; `*` stands for any ending.
    pub(crate) fn mentions(&self, words: &[&str]) -> bool {
        const ENDINGS: &[&str] = &["", "s", "es", "d", "ed", "r", "er", "rs", "ers", "ing"];
        let is_form = |token: &str, word: &str| {
            if let Some(stem) = word.strip_suffix('*') {
                return token.starts_with(stem);
            }
            let stem = word.strip_suffix('e').unwrap_or(word);
            token
                .strip_prefix(word)
                .is_some_and(|end| ENDINGS.contains(&end))
                || token.strip_prefix(stem) == Some("ing")
        };
        let tokens = || {
            self.description
                .split(|c: char| !c.is_alphanumeric())
                .filter(|token| !token.is_empty())
        };
        words.iter().any(|word| match word.split_once(' ') {
            Some((first, second)) => tokens()
                .zip(tokens().skip(1))
                .any(|(one, two)| is_form(one, first) && is_form(two, second)),
            None => tokens().any(|token| is_form(token, word)),
        })
    }
}

/// What the prose of a file asks for.
pub(crate) struct Acts {
    pub(crate) hits: Vec<Hit>,
    /// Whether there is more prose than is judged.
    pub(crate) is_crowded: bool,
}

/// Acts that the prose of a file asks for.
pub(crate) fn scan(text: &Text<'_>, surroundings: &Surroundings) -> Acts {
    let prose = &text.prose;
    let lower = lower(prose.text());
    let sentences = passage::sentences(&lower);
    let hits = rules::judge(&lower, &sentences.read, surroundings, text.joins_lines())
        .into_iter()
        .filter_map(|act| {
            let span = prose.original(act.at.start, act.at.end);
            let hit = Hit::base(act.rule, span)?;
            let hit = match act.severity {
                Some(severity) => hit.severity(severity),
                None => hit,
            };
            Some(act.steps.into_iter().fold(hit, |hit, (at, what)| {
                let span = prose.original(at.start, at.end);
                hit.step(text.path(), Span::new(span.start, span.end), what)
            }))
        })
        .collect();
    Acts {
        hits,
        is_crowded: sentences.is_crowded,
    }
}

/// Whether a text tells someone to act on something.
pub(crate) fn is_instruction(text: &str) -> bool {
    passage::sentences(&lower(text))
        .read
        .iter()
        .any(passage::Sentence::is_instruction)
}

/// Lower case with the same offsets; a letter whose lower case has another length stays.
fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == c.len_utf8() => out.push(one),
            _ => out.push(c),
        }
    }
    out
}
