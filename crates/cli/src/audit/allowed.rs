//! Findings that the user accepted, for exactly the bytes that they saw.

use std::collections::HashSet;

use prowess_config::SkillsConfig;
use prowess_policy::ContentDigest;
use prowess_scan::{Report, base_rules};

use crate::error::{CommandError, Result};
use crate::terminal;

/// The rule name for what could not be read.
const UNVERIFIED: &str = "unverified";

/// The entries of `[audit] allow` and of `--allow`, each `RULE@sha256:DIGEST`.
#[derive(Default)]
pub(crate) struct AllowedFindings {
    entries: HashSet<String>,
}

/// What was accepted of one skill.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AcceptedFindings {
    /// Findings, and one more if what could not be read was accepted.
    pub(crate) count: usize,
    /// Whether what could not be read was accepted.
    pub(crate) unread: bool,
}

impl AllowedFindings {
    pub(crate) fn new(config: &SkillsConfig) -> Self {
        for entry in &config.audit.allow {
            let rule = entry.split('@').next().unwrap_or_default();
            if !is_rule(rule) {
                terminal::note(&format!(
                    "warning: `{rule}` in [audit] allow is no rule of this program"
                ));
            }
        }
        Self {
            entries: config.audit.allow.iter().cloned().collect(),
        }
    }

    /// The same with entries of the command line.
    pub(crate) fn with(mut self, entries: &[String]) -> Result<Self> {
        for entry in entries {
            let parts = entry.split_once('@');
            let is_entry = parts.is_some_and(|(rule, digest)| {
                is_rule(rule) && digest.parse::<ContentDigest>().is_ok()
            });
            if !is_entry {
                let shown = entry.escape_debug();
                return Err(CommandError::usage(format!(
                    "invalid value `{shown}` for `--allow`: expected RULE@sha256:DIGEST"
                ))
                .hint("`prowess audit --json` prints the rule of a finding and the digest"));
            }
            self.entries.insert(entry.clone());
        }
        Ok(self)
    }

    /// Takes accepted findings out of a report about content with one of these digests.
    pub(crate) fn apply(&self, report: &mut Report, digests: &[String]) -> AcceptedFindings {
        if self.entries.is_empty() {
            return AcceptedFindings::default();
        }
        let accepts = |rule: &str| {
            let mut digests = digests.iter();
            digests.any(|digest| self.entries.contains(&format!("{rule}@{digest}")))
        };
        let before = report.findings.len();
        report
            .findings
            .retain(|found| !accepts(found.rule.as_str()));
        let unread = accepts(UNVERIFIED);
        AcceptedFindings {
            count: before - report.findings.len() + usize::from(unread),
            unread,
        }
    }
}

fn is_rule(rule: &str) -> bool {
    rule == UNVERIFIED || base_rules().any(|known| known.id == rule)
}
