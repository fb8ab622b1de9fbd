//! What a scan has to say.

use prowess_spec::Position;
pub use prowess_spec::manifest::RuleSeverity as Severity;
use serde::Serialize;

use crate::rule_id::RuleId;

/// Everything that a scan has to say; the same files give the same report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// What was found, by file, place and rule.
    pub findings: Vec<Finding>,
    /// What was not looked into.
    pub not_read: Vec<NotRead>,
    /// Findings that were left out because there were too many of their kind.
    pub omitted: Vec<Omitted>,
}

impl Report {
    /// The worst severity that was found.
    pub fn worst(&self) -> Option<Severity> {
        // The worst comes first in the order of the type.
        self.findings.iter().map(|found| found.severity).min()
    }
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// How bad it is here, which may be less than the rule's own severity.
    pub severity: Severity,
    /// The file, as it was named.
    pub file: String,
    /// Where it begins.
    pub start: Position,
    /// One past its end.
    pub end: Position,
    /// The text, shortened, with hidden characters made visible.
    pub excerpt: String,
    /// What was seen.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Something that was not looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NotRead {
    /// The file, as it was named.
    pub file: String,
    /// The line, when it is a passage and not the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// Why something was not looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// It is not text.
    Binary {
        /// Its media type, as far as its first bytes tell.
        media: &'static str,
    },
    /// It is larger than what is looked into.
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is text that stands for something else.
    Encoded {
        /// What it stands for.
        what: &'static str,
    },
    /// Some of it is not UTF-8; the rest was looked into.
    NotUtf8,
    /// There were too many files, or bytes, before it.
    TooMany,
}

/// Findings that were counted, not listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Omitted {
    /// The file, as it was named.
    pub file: String,
    /// The rule.
    pub rule: RuleId,
    /// How many, at least.
    pub count: usize,
}
