//! The rules that are patterns.

use std::ops::Range;
use std::sync::LazyLock;

use prowess_spec::Span;

use crate::base::{SECRET_READ, SEND, base_rules};
use crate::limits::{COMBINE_LINES, RULE_FINDINGS};
use crate::matcher::Matcher;
use crate::rule::{Detector, Grade, Matched, Patterns, Rule};
use crate::scanner::{Hit, Scanner};
use crate::segment::Context;
use crate::text::Text;

enum Owner {
    Rule(&'static Rule, &'static Patterns),
    SecretRead,
    Send,
}

struct Compiled {
    commands: Matcher<Owner>,
    written: Matcher<Owner>,
    prose: Matcher<Owner>,
}

/// Compiled once for the process: it takes longer than to scan a skill.
static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let rules = |wanted: fn(&'static Detector) -> Option<&'static Patterns>| {
        base_rules().filter_map(move |rule| {
            let patterns = wanted(&rule.detector)?;
            Some((Owner::Rule(rule, patterns), patterns))
        })
    };
    let signals = SECRET_READ
        .iter()
        .map(|patterns| (Owner::SecretRead, patterns));
    let signals = signals.chain([(Owner::Send, &SEND)]);
    Compiled {
        commands: Matcher::new(
            rules(|detector| match detector {
                Detector::Commands(patterns) => Some(patterns),
                _ => None,
            })
            .chain(signals),
        ),
        written: Matcher::new(rules(|detector| match detector {
            Detector::Written(patterns) => Some(patterns),
            _ => None,
        })),
        prose: Matcher::new(rules(|detector| match detector {
            Detector::Instructions(patterns) | Detector::Comments(patterns) => Some(patterns),
            _ => None,
        })),
    }
});

/// Finds what the patterns of the base rules describe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternScanner;

impl Scanner for PatternScanner {
    fn scan(&self, text: &Text<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut signals = Signals::default();
        for view in text.views() {
            COMPILED.commands.each(view.text(), |owner, range| {
                let span = view.original(range.start, range.end);
                match owner {
                    Owner::SecretRead => signals.reads.push(span),
                    Owner::Send => signals.sends.push(span),
                    Owner::Rule(rule, patterns) => {
                        hits.extend(judged(rule, patterns, matched(view.text(), range), span));
                    }
                }
            });
        }
        COMPILED.written.each(text.source(), |owner, range| {
            if let Owner::Rule(rule, patterns) = owner {
                let span = Span::new(range.start, range.end);
                hits.extend(judged(rule, patterns, matched(text.source(), range), span));
            }
        });
        let prose = &text.prose;
        COMPILED.prose.each(prose.text(), |owner, range| {
            let span = prose.original(range.start, range.end);
            let in_comment = || text.context(span.start) == Context::Comment;
            if let Owner::Rule(rule, patterns) = owner
                && (!matches!(rule.detector, Detector::Comments(_)) || in_comment())
            {
                hits.extend(judged(rule, patterns, matched(prose.text(), range), span));
            }
        });
        signals.reads.sort_unstable();
        signals.sends.sort_unstable();
        hits.extend(signals.combined(text));
        hits
    }
}

/// A match with the text before it on the line, as far as a second check needs it.
fn matched(text: &str, range: Range<usize>) -> Matched<'_> {
    const NEAR: usize = 40;
    let floor = text.ceil_char_boundary(range.start.saturating_sub(NEAR));
    let before = text.get(floor..range.start).unwrap_or_default();
    Matched {
        before: before.rsplit('\n').next().unwrap_or_default(),
        text: text.get(range).unwrap_or_default(),
    }
}

fn judged(
    rule: &'static Rule,
    patterns: &Patterns,
    matched: Matched<'_>,
    span: Span,
) -> Option<Hit> {
    let hit = Hit::base(rule.id, span)?;
    match (patterns.grade)(matched) {
        Grade::Keep => Some(hit),
        Grade::As(severity) => Some(hit.severity(severity)),
        Grade::Skip => None,
    }
}

#[derive(Default)]
struct Signals {
    reads: Vec<Span>,
    sends: Vec<Span>,
}

impl Signals {
    /// Readings of secrets that have a sending close by.
    fn combined(&self, text: &Text<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for read in &self.reads {
            // Far more than will be listed.
            if hits.len() > RULE_FINDINGS * 10 {
                break;
            }
            let first = self.sends.partition_point(|send| send.end < read.start);
            let nearest = [first.checked_sub(1), Some(first)].into_iter().flatten();
            let close = nearest
                .filter_map(|index| self.sends.get(index))
                .find(|send| together(text, **send, *read));
            if close.is_some() {
                hits.extend(Hit::base("credential-exfiltration", *read));
            }
        }
        hits
    }
}

/// Bytes between two steps that belong together.
const TOGETHER_BYTES: usize = 8192;

/// Whether two steps are close enough to belong together.
fn together(text: &Text<'_>, send: Span, read: Span) -> bool {
    let between = Span::new(send.end.min(read.end), send.start.max(read.start));
    between.start.saturating_add(TOGETHER_BYTES) >= between.end
        && memchr::memchr_iter(b'\n', between.slice(text.source()).as_bytes()).count()
            <= COMBINE_LINES
}
