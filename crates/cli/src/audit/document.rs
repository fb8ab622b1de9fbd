//! The JSON document of `audit`.

use prowess_scan::{Report, Verdict};
use serde::Serialize;

use super::AuditedSkill;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    version: u32,
    skills: Vec<Row<'a>>,
}

#[derive(Serialize)]
pub(super) struct Row<'a> {
    skill: &'a str,
    verdict: Verdict,
    digest: &'a str,
    files: usize,
    #[serde(flatten)]
    report: &'a Report,
    unreadable: Vec<Unreadable<'a>>,
    /// Findings that the user accepted.
    allowed: usize,
}

#[derive(Serialize)]
struct Unreadable<'a> {
    file: &'a str,
    reason: &'a str,
}

pub(super) fn document(audited: &[AuditedSkill]) -> Document<'_> {
    Document {
        version: 2,
        skills: audited.iter().map(row).collect(),
    }
}

pub(super) fn row(skill: &AuditedSkill) -> Row<'_> {
    let unreadable = skill.unreadable.iter();
    Row {
        skill: &skill.name,
        verdict: skill.verdict(),
        digest: &skill.digest,
        files: skill.count,
        report: &skill.report,
        unreadable: unreadable
            .map(|(file, reason)| Unreadable { file, reason })
            .collect(),
        allowed: skill.allowed,
    }
}
