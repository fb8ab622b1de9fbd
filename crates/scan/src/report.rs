//! The report of a scan.

use std::fmt;

use prowess_spec::Position;
pub use prowess_spec::manifest::RuleSeverity as Severity;
use serde::{Deserialize, Serialize};

use crate::media::is_passive;
use crate::rule_id::RuleId;
use crate::text::is_named_passive;

/// The report of a scan; the same files give the same report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The findings, by file, position and rule.
    pub findings: Vec<Finding>,
    /// Files that were not scanned.
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

    /// Files that were not scanned and may be code.
    pub fn unread_code(&self) -> impl Iterator<Item = &NotRead> {
        self.not_read.iter().filter(|it| it.may_be_code())
    }

    /// The overall verdict.
    pub fn verdict(&self) -> Verdict {
        // The worst comes first in the order of the type.
        match self.worst() {
            Some(Severity::Critical | Severity::High) => Verdict::Dangerous,
            Some(Severity::Medium) => Verdict::Suspicious,
            _ if self.unread_code().next().is_some() => Verdict::Unverified,
            _ => Verdict::Clean,
        }
    }
}

/// The verdict of a report. The other names are those of registries before there were four verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All was read, and nothing was found that is worse than low.
    #[serde(alias = "nothing-found")]
    Clean,
    /// Nothing was found, but code or data could not be read.
    Unverified,
    /// Something was found that needs a look: a finding of medium severity.
    #[serde(alias = "findings")]
    Suspicious,
    /// Something was found that harms: a finding of high or critical severity.
    Dangerous,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clean => "clean",
            Self::Unverified => "unverified",
            Self::Suspicious => "suspicious",
            Self::Dangerous => "dangerous",
        })
    }
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// How bad it is.
    pub severity: Severity,
    /// The file, as it was named.
    pub file: String,
    /// Where it begins.
    pub start: Position,
    /// One past its end.
    pub end: Position,
    /// The text, shortened, with hidden characters made visible.
    pub excerpt: String,
    /// The message.
    pub message: String,
    /// The suggestion.
    pub help: String,
    /// What leads to it, from where it begins to where it ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// One step of a chain of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The file, as it was named.
    pub file: String,
    /// Where.
    pub start: Position,
    /// The text, shortened, with hidden characters made visible.
    pub excerpt: String,
    /// What happens there.
    pub what: String,
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

impl NotRead {
    /// Whether it may be code. Images, sounds, fonts and pages that are named as such are not.
    pub fn may_be_code(&self) -> bool {
        match &self.reason {
            Reason::Binary { media } => !is_passive(media) || !is_named_passive(&self.file),
            Reason::Encoded { what } => !is_passive(what),
            Reason::TooLarge { .. }
            | Reason::NotAnalysed { .. }
            | Reason::NotUtf8
            | Reason::TooMany => true,
        }
    }
}

/// Why something was not looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// It is not text.
    Binary {
        /// Its media type, according to its first bytes.
        media: &'static str,
    },
    /// It is larger than what is looked into.
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is encoded text.
    Encoded {
        /// The encoding.
        what: &'static str,
    },
    /// It is a program whose way cannot be followed.
    NotAnalysed {
        /// Why.
        what: &'static str,
    },
    /// Some of it is not UTF-8; the rest was looked into.
    NotUtf8,
    /// There were too many files, or bytes, before it.
    TooMany,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary { media } => write!(f, "not text ({media})"),
            Self::TooLarge { bytes } => write!(f, "too large ({bytes} bytes)"),
            Self::Encoded { what } => write!(f, "encoded ({what})"),
            Self::NotAnalysed { what } => write!(f, "not analysed ({what})"),
            Self::NotUtf8 => f.write_str("partly not UTF-8"),
            Self::TooMany => f.write_str("too many files"),
        }
    }
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
