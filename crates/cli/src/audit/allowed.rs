//! Findings that the user accepted, for exactly the bytes that they saw.

use std::collections::HashSet;

use prowess_config::SkillsConfig;
use prowess_scan::base_rules;

use super::AuditedSkill;
use crate::terminal;

/// The rule name for what could not be read.
const UNVERIFIED: &str = "unverified";

/// The entries of `[audit] allow`.
pub(super) struct AllowedFindings {
    entries: HashSet<String>,
}

impl AllowedFindings {
    pub(super) fn new(config: &SkillsConfig) -> Self {
        for entry in &config.audit.allow {
            let rule = entry.split('@').next().unwrap_or_default();
            let known = rule == UNVERIFIED || base_rules().any(|known| known.id == rule);
            if !known {
                terminal::note(&format!(
                    "warning: `{rule}` in [audit] allow is no rule of this program"
                ));
            }
        }
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
        skill.allowed += usize::from(skill.unread_allowed);
    }
}
