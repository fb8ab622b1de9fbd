//! Findings that the user accepted, for exactly the bytes that they saw.

use std::collections::HashSet;

use prowess_config::SkillsConfig;

use super::AuditedSkill;

/// The rule name for what could not be read.
const UNVERIFIED: &str = "unverified";

/// The entries of `[audit] allow`.
pub(super) struct AllowedFindings {
    entries: HashSet<String>,
}

impl AllowedFindings {
    pub(super) fn new(config: &SkillsConfig) -> Self {
        Self {
            entries: config.audit.allow.iter().cloned().collect(),
        }
    }

    /// Takes accepted findings out of the report and counts them.
    pub(super) fn apply(&self, skill: &mut AuditedSkill) {
        if self.entries.is_empty() {
            return;
        }
        let digest = &skill.digest;
        let accepts = |rule: &str| self.entries.contains(&format!("{rule}@{digest}"));
        let before = skill.report.findings.len();
        skill
            .report
            .findings
            .retain(|found| !accepts(found.rule.as_str()));
        skill.allowed = before - skill.report.findings.len();
        skill.unread_allowed = accepts(UNVERIFIED);
    }
}
