//! The rules that are patterns.

use std::ops::Range;
use std::sync::LazyLock;

use prowess_spec::Span;

use crate::base::{SECRET_READ, SEND, base_rules};
use crate::fold::Folded;
use crate::limits::{COMBINE_LINES, RULE_FINDINGS};
use crate::matcher::Matcher;
use crate::quoted;
use crate::report::Severity;
use crate::rule::{Detector, Grade, Patterns, Rule};
use crate::scanner::{Hit, Scanner};
use crate::segment::Context;
use crate::text::Text;

/// What a note says about a match that is only shown.
const SHOWN: &str = " (in a passage that reads as documentation)";

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
        let mut found = Found::default();
        let mut signals = Signals::default();
        COMPILED.commands.each(text.code.text(), |owner, range| {
            let span = text.code.original(range.start, range.end);
            match owner {
                Owner::SecretRead => signals.reads.push(span),
                Owner::Send => signals.sends.push(span),
                Owner::Rule(rule, patterns) => {
                    let matched = text.code.text().get(range).unwrap_or_default();
                    found.add(text, rule, patterns, span, matched);
                }
            }
        });
        COMPILED.written.each(text.source(), |owner, range| {
            if let Owner::Rule(rule, patterns) = owner {
                let matched = text.source().get(range.clone()).unwrap_or_default();
                found.add(
                    text,
                    rule,
                    patterns,
                    Span::new(range.start, range.end),
                    matched,
                );
            }
        });
        if let Some(prose) = &text.prose {
            COMPILED.prose.each(prose.text(), |owner, range| {
                if let Owner::Rule(rule, patterns) = owner {
                    found.add_prose(text, prose, rule, patterns, range);
                }
            });
        }
        found.hits.extend(signals.combined(text));
        found.hits
    }
}

#[derive(Default)]
struct Found {
    hits: Vec<Hit>,
    /// How often each rule was found, so that a file full of one thing is not judged line by line.
    counts: std::collections::BTreeMap<&'static str, usize>,
}

impl Found {
    fn add(
        &mut self,
        text: &Text<'_>,
        rule: &'static Rule,
        patterns: &Patterns,
        span: Span,
        matched: &str,
    ) {
        let severity = match (patterns.grade)(matched) {
            Grade::Keep => rule.severity,
            Grade::As(severity) => severity,
            Grade::Skip => return,
        };
        let shown = |text: &Text<'_>| quoted::command(text, span);
        self.push(text, rule, severity, span, shown);
    }

    fn add_prose(
        &mut self,
        text: &Text<'_>,
        prose: &Folded,
        rule: &'static Rule,
        _: &Patterns,
        range: Range<usize>,
    ) {
        let span = prose.original(range.start, range.end);
        let in_comment = text.context(span.start) == Context::Comment;
        if matches!(rule.detector, Detector::Comments(_)) && !in_comment {
            return;
        }
        if let Context::Code(language) = text.context(span.start)
            && language != crate::segment::Language::Shell
        {
            return;
        }
        let shown = |text: &Text<'_>| quoted::instruction(text, span);
        self.push(text, rule, rule.severity, span, shown);
    }

    fn push(
        &mut self,
        text: &Text<'_>,
        rule: &'static Rule,
        severity: Severity,
        span: Span,
        shown: impl Fn(&Text<'_>) -> bool,
    ) {
        let Some(hit) = Hit::base(rule.id, span) else {
            return;
        };
        let count = self.counts.entry(rule.id).or_default();
        *count += 1;
        // Far more than will be listed: the rest is only counted.
        let judged = *count > RULE_FINDINGS * 10 || severity == Severity::Info || !shown(text);
        self.hits.push(if judged {
            hit.severity(severity)
        } else {
            hit.severity(Severity::Info).note(SHOWN)
        });
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
        for read in self.reads.iter().take(RULE_FINDINGS * 10) {
            let first = self.sends.partition_point(|send| send.end < read.start);
            let nearest = [first.checked_sub(1), Some(first)].into_iter().flatten();
            let close = nearest
                .filter_map(|index| self.sends.get(index))
                .find(|send| together(text, **send, *read));
            if let Some(send) = close
                && !quoted::command(text, *read)
                && !quoted::command(text, *send)
            {
                hits.extend(Hit::base("credential-exfiltration", *read));
            }
        }
        hits
    }
}

/// Whether two steps belong together: in one piece of code a few lines apart, or on one line of prose.
fn together(text: &Text<'_>, send: Span, read: Span) -> bool {
    if text.segments.start(send.start) != text.segments.start(read.start) {
        return false;
    }
    let between = Span::new(send.end.min(read.end), send.start.max(read.start));
    let lines = memchr::memchr_iter(b'\n', between.slice(text.source()).as_bytes()).count();
    match text.context(read.start) {
        Context::Code(_) => {
            lines <= COMBINE_LINES && between.start.saturating_add(8192) >= between.end
        }
        Context::Prose | Context::Comment => lines == 0,
    }
}
