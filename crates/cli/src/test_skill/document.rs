//! The JSON of `test --json`. Fields may be added; nothing is renamed or removed within a version.

use serde::Serialize;

use super::report::{CaseResult, SkillTests, TestReport};
use crate::check;

#[derive(Serialize)]
pub(super) struct TestDocument<'r> {
    version: u32,
    check: check::Document<'r>,
    skills: Vec<SkillRow<'r>>,
    summary: Summary,
}

#[derive(Serialize)]
struct SkillRow<'r> {
    skill: &'r str,
    cases: Vec<CaseRow<'r>>,
    problems: Vec<ProblemRow<'r>>,
}

#[derive(Serialize)]
struct CaseRow<'r> {
    name: &'r str,
    action: &'r str,
    file: &'r str,
    line: usize,
    outcome: &'r str,
    message: Option<&'r str>,
    notes: &'r [String],
    milliseconds: u128,
}

#[derive(Serialize)]
struct ProblemRow<'r> {
    file: &'r str,
    line: usize,
    column: usize,
    message: &'r str,
}

#[derive(Serialize)]
struct Summary {
    passed: usize,
    failed: usize,
    not_run: usize,
    not_approved: usize,
    milliseconds: u128,
}

impl<'r> TestDocument<'r> {
    pub(super) fn new(report: &'r TestReport) -> Self {
        let counts = report.counts();
        Self {
            version: 1,
            check: check::Document::new(&report.check),
            skills: report.skills.iter().map(skill_row).collect(),
            summary: Summary {
                passed: counts.passed,
                failed: counts.failed,
                not_run: counts.not_run,
                not_approved: counts.not_approved,
                milliseconds: report.elapsed.as_millis(),
            },
        }
    }
}

fn skill_row(skill: &SkillTests) -> SkillRow<'_> {
    let problems = skill.problems.iter().map(|(file, problem)| ProblemRow {
        file,
        line: problem.line,
        column: problem.column,
        message: &problem.message,
    });
    SkillRow {
        skill: skill.id.as_str(),
        cases: skill.cases.iter().map(case_row).collect(),
        problems: problems.collect(),
    }
}

fn case_row(case: &CaseResult) -> CaseRow<'_> {
    CaseRow {
        name: &case.name,
        action: case.action,
        file: &case.file,
        line: case.line,
        outcome: case.outcome.as_str(),
        message: case.outcome.message(),
        notes: &case.notes,
        milliseconds: case.elapsed.as_millis(),
    }
}
