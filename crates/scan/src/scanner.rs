//! Scanners of files.

use prowess_spec::Span;

use crate::base::base_rule;
use crate::report::Severity;
use crate::rule_id::RuleId;
use crate::text::Text;

/// Scans one file at a time. Its findings are validated: spans are moved to characters of the file, texts are
/// shortened, and their number is limited.
pub trait Scanner: Send + Sync {
    /// All findings about `text`.
    fn scan(&self, text: &Text<'_>) -> Vec<Hit>;
}

/// A finding as a scanner states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The rule.
    pub rule: RuleId,
    /// How bad it is.
    pub severity: Severity,
    /// Where, in bytes of the file.
    pub span: Span,
    /// The message.
    pub message: String,
    /// The suggestion.
    pub help: String,
    /// What leads to it, in order.
    pub steps: Vec<HitStep>,
}

/// One step of the way to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitStep {
    /// The file.
    pub file: String,
    /// Where, in bytes of the file.
    pub span: Span,
    /// What happens there.
    pub what: String,
}

impl Hit {
    /// A finding of a base rule, in its own words.
    pub(crate) fn base(id: &'static str, span: Span) -> Option<Self> {
        let rule = base_rule(id)?;
        Some(Self {
            rule: RuleId::base(rule.id),
            severity: rule.severity,
            span,
            message: rule.message.to_owned(),
            help: rule.help.to_owned(),
            steps: Vec::new(),
        })
    }

    /// The same, with one more step.
    #[must_use]
    pub(crate) fn step(mut self, file: &str, span: Span, what: impl Into<String>) -> Self {
        self.steps.push(HitStep {
            file: file.to_owned(),
            span,
            what: what.into(),
        });
        self
    }

    /// The same, with another severity.
    #[must_use]
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same, with more details.
    #[must_use]
    pub(crate) fn note(mut self, note: &str) -> Self {
        self.message.push_str(note);
        self
    }
}
