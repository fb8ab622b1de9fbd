//! A case beside what both validators say about it, and the questions that the reasons ask.

use prowess_spec::{Code, Diagnostic, Parsed};

use crate::cases::Case;
use crate::oracle::Answer;

/// One thing that one validator holds against a file that the other accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Complaint<'a> {
    /// A message of the reference, or the exception that it died of.
    Theirs(&'a str),
    /// An error of ours.
    Ours(&'a Diagnostic),
}

impl Complaint<'_> {
    /// Whether it is one of ours with `part` in its message.
    pub(crate) fn says(self, part: &str) -> bool {
        matches!(self, Self::Ours(found) if found.message.contains(part))
    }
}

pub(crate) struct Seen<'a> {
    pub(crate) case: &'a Case,
    pub(crate) parsed: &'a Parsed<'a>,
    pub(crate) answer: &'a Answer,
}

/// How the reference's idea of the frontmatter's lines compares to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Alike,
    /// It ends at another place.
    Elsewhere,
    /// It holds a carriage return without a line feed, which is a line break there.
    LoneReturns,
    /// It holds a line break of YAML 1.1.
    OldBreaks,
    /// It begins with a byte order mark, which is a character there.
    Marked,
}

/// The fields of the standard, which are all that the reference knows.
const STANDARD: [&str; 6] = [
    "allowed-tools",
    "compatibility",
    "description",
    "license",
    "metadata",
    "name",
];

impl Seen<'_> {
    /// A complaint of theirs, about lines that both see.
    pub(crate) fn theirs(&self, complaint: Complaint<'_>, part: &str) -> bool {
        matches!(complaint, Complaint::Theirs(text) if text.contains(part))
            && self.cut() == Cut::Alike
    }

    /// An error of ours, about lines that both see.
    pub(crate) fn ours(&self, complaint: Complaint<'_>, codes: &[Code]) -> bool {
        matches!(complaint, Complaint::Ours(found) if codes.contains(&found.code))
            && self.cut() == Cut::Alike
    }

    /// Whether we report `code`, with `part` in its message.
    pub(crate) fn reported(&self, code: Code, part: &str) -> bool {
        let like = |found: &Diagnostic| found.code == code && found.message.contains(part);
        self.parsed.diagnostics.iter().any(like)
    }

    /// The fields beyond the standard that we have read, as the reference would list them.
    pub(crate) fn extra_fields(&self) -> Option<String> {
        let entries = &self.parsed.skill.as_ref()?.frontmatter.entries;
        let keys = entries.iter().map(|entry| entry.key.as_str());
        let mut extra: Vec<&str> = keys.filter(|key| !STANDARD.contains(key)).collect();
        extra.sort_unstable();
        Some(extra.join(", "))
    }

    /// Whether a line of the frontmatter is like that.
    pub(crate) fn any_line(&self, like: impl Fn(&str) -> bool) -> bool {
        self.lines().any(like)
    }

    /// Whether a quoted or block text goes on, or begins, at the very start of a line.
    pub(crate) fn has_unindented_text(&self) -> bool {
        let mut open = false;
        self.any_line(|line| line.starts_with(['|', '>']))
            || self.lines().any(|line| {
                let unindented = open && line.starts_with(|c: char| !c.is_whitespace());
                open ^= line.matches(['"', '\'']).count() % 2 == 1;
                unindented
            })
    }

    fn text(&self) -> &str {
        let text = std::str::from_utf8(&self.case.content).unwrap_or_default();
        text.strip_prefix('\u{feff}').unwrap_or(text)
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.text().lines().skip(1);
        lines.take_while(|line| !is_delimiter(line))
    }

    pub(crate) fn cut(&self) -> Cut {
        let text = self.text();
        let theirs = text.strip_prefix("---").and_then(|rest| rest.find("---"));
        let theirs = theirs.map(|at| at + "---".len());
        let ours = closing_line(text);
        let frontmatter = &text[..theirs.max(ours).unwrap_or(text.len())];
        if frontmatter.replace("\r\n", "").contains('\r') {
            Cut::LoneReturns
        } else if frontmatter.contains(['\u{2028}', '\u{2029}']) {
            Cut::OldBreaks
        } else if theirs != ours {
            Cut::Elsewhere
        } else if frontmatter.contains("\n\u{feff}") {
            Cut::Marked
        } else {
            Cut::Alike
        }
    }
}

/// Where the closing line begins, if the first line opens.
fn closing_line(text: &str) -> Option<usize> {
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match (index, is_delimiter(line)) {
            (0, false) => return None,
            (1.., true) => return Some(at),
            _ => at += line.len(),
        }
    }
    None
}

fn is_delimiter(line: &str) -> bool {
    let rest = line.trim_end_matches(['\n', '\r']).strip_prefix("---");
    rest.is_some_and(|rest| rest.chars().all(|c| matches!(c, ' ' | '\t')))
}
