//! Hidden and misleading characters.

use prowess_spec::Span;

use crate::excerpt::visible;
use crate::hidden::{is_bidi, is_invisible, is_tag, is_variation, is_zero_width, lookalike};
use crate::limits::{EXCERPT_CHARS, RULE_FINDINGS};
use crate::report::Severity;
use crate::scanner::{Hit, Scanner};
use crate::text::Text;

/// Zero-width characters in a row that no writing needs.
const SMUGGLED: usize = 6;

/// Findings after which a file is known well enough.
const ENOUGH: usize = 10_000;

/// Finds characters that a reader does not see, or takes for others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnicodeScanner;

impl Scanner for UnicodeScanner {
    fn scan(&self, text: &Text<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        if text.source().is_ascii() {
            return hits;
        }
        runs(text, &mut hits);
        mixed_words(text, &mut hits);
        hits
    }
}

/// Checks each run of invisible characters and its neighbors.
fn runs(text: &Text<'_>, hits: &mut Vec<Hit>) {
    let source = text.source();
    let mut chars = source.char_indices().peekable();
    let mut before = None;
    while let Some((start, c)) = chars.next() {
        if !is_invisible(c) {
            before = Some(c);
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, next)) = chars.next_if(|(_, next)| is_invisible(*next)) {
            end = at + next.len_utf8();
        }
        let run = Span::new(start, end);
        let after = chars.peek().map(|(_, next)| *next);
        // Informational findings must not use up the limit of the others.
        let hit = classify_run(text, run, before, after);
        hits.extend(hit.filter(|hit| hit.severity < Severity::Info || hits.len() < RULE_FINDINGS));
        if hits.len() >= ENOUGH {
            return;
        }
    }
}

fn classify_run(
    text: &Text<'_>,
    run: Span,
    before: Option<char>,
    after: Option<char>,
) -> Option<Hit> {
    let hidden = run.slice(text.source());
    let count = |is: fn(char) -> bool| hidden.chars().filter(|c| is(*c)).count();
    if count(is_tag) > 0 && !(before == Some('\u{1f3f4}') && is_flag(hidden)) {
        let said: String = hidden.chars().filter_map(untagged).collect();
        return Some(
            Hit::base("tag-characters", run)?
                .note(&format!(": `{}`", visible(&said, EXCERPT_CHARS))),
        );
    }
    let variations = count(is_variation);
    let ideographic = before.is_some_and(
        |c| matches!(u32::from(c), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x1_8000..=0x3_ffff),
    );
    let supplementary = count(|c| matches!(c, '\u{e0100}'..='\u{e01ef}'));
    if variations >= 3 || (supplementary > 1 && !ideographic) {
        return Hit::base("variation-smuggling", run);
    }
    if count(is_bidi) > 0 {
        return bidi(text, run, hidden);
    }
    zero_width(run, hidden, before, after)
}

/// The tag sequence of England, Scotland or Wales.
fn is_flag(hidden: &str) -> bool {
    let said: String = hidden.chars().filter_map(untagged).collect();
    hidden.ends_with('\u{e007f}') && matches!(said.as_str(), "gbeng" | "gbsct" | "gbwls")
}

fn untagged(c: char) -> Option<char> {
    let code = u32::from(c).checked_sub(0xe_0000)?;
    char::from_u32(code).filter(|c| matches!(c, ' '..='~'))
}

fn bidi(text: &Text<'_>, run: Span, hidden: &str) -> Option<Hit> {
    let overrides = hidden.contains(['\u{202d}', '\u{202e}']);
    let marks_only = hidden
        .chars()
        .all(|c| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}') || !is_bidi(c));
    let closes_only = hidden
        .chars()
        .all(|c| matches!(c, '\u{202c}' | '\u{2069}') || !is_bidi(c));
    // The opening one decides; marks of direction move only punctuation.
    if marks_only || closes_only || (!overrides && keeps_order(text.source(), run, hidden)) {
        return None;
    }
    Hit::base("bidi-control", run)
}

/// Whether what the control opens has letters of that one direction only, so that none of them moves.
fn keeps_order(source: &str, run: Span, hidden: &str) -> bool {
    let rest = source.get(run.end..).unwrap_or_default();
    let inside = rest
        .split(['\n', '\u{202c}', '\u{2069}'])
        .next()
        .unwrap_or_default();
    let opens = hidden
        .chars()
        .filter(|c| is_bidi(*c) && !matches!(c, '\u{202c}' | '\u{2069}'));
    let mut letters = inside.chars().filter(|c| c.is_alphanumeric());
    match opens.collect::<Vec<_>>().as_slice() {
        ['\u{202b}' | '\u{2067}'] => letters.all(is_right_to_left),
        ['\u{202a}' | '\u{2066}'] => !letters.any(is_right_to_left) && !inside.contains(is_bidi),
        _ => false,
    }
}

fn is_right_to_left(c: char) -> bool {
    matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefc | 0x1_0800..=0x1_0fff | 0x1_e800..=0x1_efff)
}

fn zero_width(run: Span, hidden: &str, before: Option<char>, after: Option<char>) -> Option<Hit> {
    let all = hidden.chars().filter(|c| is_zero_width(*c)).count();
    if all >= SMUGGLED {
        let many = format!(": {all} in a row, which can carry hidden text");
        return Some(
            Hit::base("zero-width", run)?
                .severity(Severity::High)
                .note(&many),
        );
    }
    // A soft hyphen marks where a long word can break.
    let soft = hidden.chars().all(|c| c == '\u{ad}' || is_variation(c));
    let between = |c: Option<char>| {
        c.is_some_and(|c| {
            c.is_ascii_alphanumeric() || matches!(u32::from(c), 0xc0..=0x24f | 0x370..=0x52f)
        })
    };
    (all > 0 && !soft && between(before) && between(after))
        .then(|| Hit::base("zero-width", run))
        .flatten()
}

/// Words with letters of two scripts, where the foreign ones look Latin.
fn mixed_words(text: &Text<'_>, hits: &mut Vec<Hit>) {
    let mut found = 0;
    let mut word = Word::default();
    for (at, c) in text
        .source()
        .char_indices()
        .chain([(text.source().len(), ' ')])
    {
        if c.is_alphabetic() {
            word.push(at, c);
            continue;
        }
        let done = std::mem::take(&mut word);
        if !done.is_mixed() || found > RULE_FINDINGS * 10 {
            continue;
        }
        found += 1;
        let span = Span::new(done.start, at);
        hits.extend(Hit::base("mixed-script", span));
    }
}

#[derive(Default)]
struct Word {
    start: usize,
    letters: usize,
    latin: usize,
    lookalikes: usize,
}

impl Word {
    fn push(&mut self, at: usize, c: char) {
        if self.letters == 0 {
            self.start = at;
        }
        self.letters += 1;
        self.latin += usize::from(c.is_ascii_alphabetic());
        self.lookalikes += usize::from(lookalike(c).is_some());
    }

    fn is_mixed(&self) -> bool {
        self.letters >= 3
            && self.lookalikes > 0
            && self.latin > 0
            && self.latin + self.lookalikes == self.letters
    }
}
