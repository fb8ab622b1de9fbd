//! Whether a passage shows an attack or is one.
//!
//! Skills about security quote what they warn of. A match in such a passage stays in the report, for
//! information only. The judgement needs words near the match: the title of a skill excuses nothing.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use prowess_spec::Span;

use crate::segment::{Context, Language};
use crate::text::Text;

/// Stems that make a passage one about attacks, wherever they stand in a word.
const TOPICS: &[&str] = &[
    "malicious",
    "attack",
    "injection",
    "inject ",
    "exploit",
    "vulnerab",
    "suspicious",
    "dangerous",
    "danger_",
    "unsafe",
    "insecure",
    "anti-pattern",
    "antipattern",
    "anti_pattern",
    "red flag",
    "red_flag",
    "redflag",
    "jailbreak",
    "threat",
    "forbidden",
    "forbid",
    "blocked",
    "blocklist",
    "block_",
    "denylist",
    "blacklist",
    "adversar",
    "hostile",
    "untrusted",
    "guardrail",
    "prohibit",
    "disallow",
    "destructive",
    "catastroph",
    "tamper",
    "compromis",
    "phishing",
    "exfiltrat",
    "attack",
    "ataque",
    "attaque",
    "angriff",
    "malveillant",
    "bösartig",
    "gefährlich",
    "peligros",
    "dangereu",
    "атак",
    "вредонос",
    "опасн",
    "уязвим",
    "攻击",
    "攻撃",
    "恶意",
    "悪意",
    "注入",
    "危险",
    "危険",
    "漏洞",
    "脆弱",
    "劫持",
    "악성",
    "공격",
    "위험",
    "bad example",
    "wrong:",
    "bad:",
    "❌",
    "🚫",
    "⛔",
    "✗",
];

/// Words that forbid what follows them.
const NEGATIONS: &[&str] = &[
    "never",
    "avoid",
    "don't",
    "dont",
    "do not",
    "must not",
    "should not",
    "instead of",
    "rather than",
    "deny",
    "denied",
    "bad",
    "wrong",
];

/// Words in front of a command that somebody is to run.
const IMPERATIVES: &[&str] = &[
    "run",
    "runs",
    "running",
    "execute",
    "executes",
    "executing",
    "install",
    "installs",
    "paste",
    "type",
    "use",
    "using",
    "via",
    "with",
    "invoke",
    "start",
    "launch",
    "then",
    "first",
    "by",
    "call",
    "enter",
    "issue",
    "command",
    "must",
    "need",
    "needs",
    "require",
    "requires",
    "required",
    "setup",
    "before",
    "after",
    "once",
];

/// Words around an instruction that is spoken of, not spoken.
const MENTIONS: &[&str] = &[
    "like",
    "such as",
    "e.g",
    "example",
    "examples",
    "phrase",
    "phrases",
    "says",
    "say",
    "saying",
    "contains",
    "containing",
    "pattern",
    "patterns",
    "attempt to",
    "attempts to",
    "attempting to",
    "tries to",
    "trying to",
    "asks",
    "claims",
    "detect",
    "detects",
    "detecting",
    "flag",
    "flags",
    "watch for",
    "look for",
    "include",
    "includes",
    "including",
];

/// Bytes before a match in which words are looked for.
const LOOK_BACK: usize = 4096;
/// Lines above a match that may hold what opens its list.
const OPENER_LINES: usize = 80;

static TOPIC: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let builder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(TOPICS);
    builder.ok()
});

/// Whether a line says that what belongs to it is an attack.
pub(crate) fn warns(line: &str) -> bool {
    is_topic(line) || has_word(line, NEGATIONS)
}

fn is_topic(line: &str) -> bool {
    TOPIC.as_ref().is_some_and(|topics| topics.is_match(line))
}

fn has_word(line: &str, words: &[&str]) -> bool {
    let lower = line.to_lowercase().replace('’', "'");
    words.iter().any(|word| {
        lower.match_indices(word).any(|(at, found)| {
            let before = lower.get(..at).unwrap_or_default();
            let after = lower.get(at + found.len()..).unwrap_or_default();
            let is_letter = |c: char| c.is_alphanumeric() || c == '\'';
            !before.ends_with(is_letter) && !after.starts_with(is_letter)
        })
    })
}

/// Whether a command is shown, not given.
pub(crate) fn command(text: &Text<'_>, span: Span) -> bool {
    let around = Around::new(text, span);
    if is_topic(around.before)
        || is_topic(around.after)
        || around.section_warns()
        || around.opener_warns()
    {
        return true;
    }
    match text.context(span.start) {
        Context::Comment => false,
        Context::Prose => {
            let told = is_told(around.before) || has_word(around.after, IMPERATIVES);
            !told || is_forbidden(around.before) || around.list_warns()
        }
        Context::Code(Language::Shell) => is_searched(around.before) || around.comment_warns(),
        Context::Code(_) => is_pattern(around.line) || around.comment_warns(),
    }
}

/// Whether the sentence up to a command forbids it: `not` in another clause says nothing about it.
fn is_forbidden(before: &str) -> bool {
    let sentence = before
        .rsplit([';', '—', '!', '?'])
        .next()
        .unwrap_or_default();
    let sentence = sentence.rsplit(". ").next().unwrap_or_default();
    let clauses: Vec<&str> = sentence.split(',').collect();
    let Some(forbids) = clauses
        .iter()
        .rposition(|clause| has_word(clause, NEGATIONS))
    else {
        return false;
    };
    !clauses
        .iter()
        .skip(forbids + 1)
        .any(|clause| has_word(clause, IMPERATIVES))
}

/// Whether an instruction to a model is shown, not given.
pub(crate) fn instruction(text: &Text<'_>, span: Span) -> bool {
    let around = Around::new(text, span);
    let reported = has_word(
        around.before,
        &[
            "attempt to",
            "attempts to",
            "attempting to",
            "tries to",
            "trying to",
        ],
    );
    let shown =
        reported || is_topic(around.before) || is_topic(around.after) || is_pattern(around.line);
    match text.context(span.start) {
        Context::Comment => shown,
        Context::Prose | Context::Code(_) => {
            shown
                || (around.is_in_quotes() && has_word(around.line, MENTIONS))
                || around.list_warns()
                || around.section_warns()
                || around.opener_warns()
        }
    }
}

/// Whether the line is a regular expression, or a list of them.
fn is_pattern(line: &str) -> bool {
    [
        "\\s",
        "\\b",
        ".*",
        "(?:",
        "\\|",
        "[^",
        "\\w",
        "re.compile",
        "RegExp",
        "grep ",
    ]
    .iter()
    .any(|mark| line.contains(mark))
}

/// Whether a shell looks for the command instead of running it.
fn is_searched(before: &str) -> bool {
    has_word(before, &["grep", "egrep", "rg", "ag", "ack"])
        || before.contains("=~")
        || before.contains("== *")
}

/// Whether what stands before a command tells somebody to run it.
fn is_told(before: &str) -> bool {
    let ornament = |c: char| " \t>-*+.$#`\"'|(_:".contains(c) || c.is_ascii_digit();
    before.trim_matches(ornament).is_empty() || has_word(before, IMPERATIVES)
}

/// What stands around a match.
struct Around<'t> {
    text: &'t Text<'t>,
    start: usize,
    line_start: usize,
    line: &'t str,
    before: &'t str,
    after: &'t str,
}

impl<'t> Around<'t> {
    fn new(text: &'t Text<'_>, span: Span) -> Self {
        let source = text.source();
        let floor = source.ceil_char_boundary(span.start.saturating_sub(LOOK_BACK));
        let ceiling = source.floor_char_boundary(span.end.saturating_add(LOOK_BACK));
        let head = source.get(floor..span.start).unwrap_or_default();
        let tail = source.get(span.end..ceiling).unwrap_or_default();
        let line_start = head.rfind('\n').map_or(floor, |at| floor + at + 1);
        let line_end = tail.find('\n').map_or(ceiling, |at| span.end + at);
        let slice = |from: usize, to: usize| source.get(from..to).unwrap_or_default();
        Self {
            text,
            start: span.start,
            line_start,
            line: slice(line_start, line_end),
            before: slice(line_start, span.start),
            after: slice(span.end, line_end),
        }
    }

    /// The lines above, nearest first.
    fn above(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let source = self.text.source();
        let floor = source.ceil_char_boundary(self.line_start.saturating_sub(LOOK_BACK));
        let head = source.get(floor..self.line_start).unwrap_or_default();
        head.trim_end_matches('\n').rsplit('\n').take(OPENER_LINES)
    }

    fn section_warns(&self) -> bool {
        self.text.segments.is_under_warning(self.start)
    }

    /// Whether the comment above the line, or on it, warns.
    fn comment_warns(&self) -> bool {
        let is_comment = |line: &&str| {
            let line = line.trim_start();
            ["#", "//", "--", ";", "*", "/*", "REM", "<!--"]
                .iter()
                .any(|mark| line.starts_with(mark))
        };
        self.above().take_while(is_comment).take(3).any(warns)
    }

    /// Whether the sentence before a list, a table or a fence warns.
    fn list_warns(&self) -> bool {
        let is_item = |line: &&str| {
            let line = line.trim_start();
            line.is_empty()
                || line.starts_with(['-', '*', '+', '|', '`', '>'])
                || line.starts_with(|c: char| c.is_ascii_digit())
        };
        let mut lines = self.above().skip_while(is_item);
        lines
            .next()
            .is_some_and(|lead| lead.trim_end().ends_with([':', '：']) && warns(lead))
            || self.table_warns()
    }

    fn table_warns(&self) -> bool {
        let is_row = |line: &&str| line.trim_start().starts_with('|');
        self.line.trim_start().starts_with('|')
            && self.above().take_while(is_row).last().is_some_and(warns)
    }

    /// Whether the lines that enclose this one, by indentation, or the sentence above the fence, warn.
    fn opener_warns(&self) -> bool {
        let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let mut inner = depth(self.line);
        let mut openers = 0;
        let segment = self.text.segments.start(self.start);
        let mut at = self.line_start;
        let mut outside = 0;
        for line in self.above() {
            at = at.saturating_sub(line.len() + 1);
            if line.trim().is_empty() {
                continue;
            }
            let prose = matches!(
                self.text.context(self.start),
                Context::Prose | Context::Comment
            );
            if prose && line.starts_with('#') {
                return false;
            }
            if at < segment {
                // The line before the fence, and the one before that if a list goes with it.
                outside += 1;
                if outside > 2 || line.starts_with('#') {
                    return false;
                }
                if warns(line) {
                    return true;
                }
            } else if depth(line) < inner {
                inner = depth(line);
                openers += 1;
                if warns(line) {
                    return true;
                }
                if openers == 3 {
                    return false;
                }
            }
        }
        false
    }

    fn is_in_quotes(&self) -> bool {
        let opens = self
            .before
            .trim_end_matches(|c: char| c.is_alphanumeric() || " ,.!:".contains(c));
        let closes = self
            .after
            .trim_start_matches(|c: char| c.is_alphanumeric() || " ,.!:".contains(c));
        let quotes = ['"', '“', '”', '`', '\'', '«', '»', '「', '」'];
        opens.ends_with(quotes) && closes.starts_with(quotes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, source: &str, needle: &str, expected: bool) {
        let text = Text::new(path, source);
        let start = source.find(needle).unwrap();
        let quoted = command(&text, Span::new(start, start + needle.len()));
        assert_eq!(quoted, expected, "{source:?}");
    }

    #[test]
    fn what_is_warned_of_is_shown() {
        check("a.md", "Never run `rm -rf /`.", "rm -rf /", true);
        check("a.md", "The `rm -rf /` classic.", "rm -rf /", true);
        check("a.md", "Red flags:\n\n- `rm -rf /`\n", "rm -rf /", true);
        check(
            "a.md",
            "## Dangerous commands\n\n```sh\nrm -rf /\n```\n",
            "rm -rf /",
            true,
        );
        check("a.md", "```sh\n# BAD\nrm -rf /\n```\n", "rm -rf /", true);
        check(
            "a.py",
            "DANGEROUS = [\n    'x',\n    'rm -rf /',\n]\n",
            "rm -rf /",
            true,
        );
    }

    #[test]
    fn what_is_told_is_given() {
        check("a.md", "First run `rm -rf /`.", "rm -rf /", false);
        check("a.md", "```sh\nrm -rf /\n```\n", "rm -rf /", false);
        check(
            "a.md",
            "# Security attacks\n\n    rm -rf /\n",
            "rm -rf /",
            false,
        );
        check("a.md", "Example:\n\n- rm -rf /\n", "rm -rf /", false);
        check("a.sh", "#!/bin/sh\nrm -rf /\n", "rm -rf /", false);
    }
}
