//! Instructions, read as acts: who is told to do what to which object.
//!
//! Words and forms become concepts ([`lexicon`], [`forms`]), sentences become sets of them ([`passage`]), and a rule
//! asks for acts and objects that belong together ([`rules`]). So a paraphrase is found, in any of eight languages, and
//! a single word is not.

mod forms;
mod lexicon;
mod passage;
mod rules;

pub(crate) use rules::is_well_known;

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

/// Acts that the prose of a file asks for.
pub(crate) fn scan(text: &Text<'_>, surroundings: &Surroundings) -> Vec<Hit> {
    let prose = &text.prose;
    let lower = lower(prose.text());
    let sentences = passage::sentences(&lower);
    rules::judge(&lower, &sentences, surroundings, text.joins_lines())
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
        .collect()
}

/// Whether a text tells someone to act on something.
pub(crate) fn is_instruction(text: &str) -> bool {
    passage::sentences(&lower(text))
        .iter()
        .any(passage::Sentence::is_instruction)
}

/// Lower case with the same offsets; a letter whose lower case has another length stays.
fn lower(text: &str) -> String {
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
