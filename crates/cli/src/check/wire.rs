//! The JSON of `check --json`. Fields may be added; nothing is renamed or removed within a version.

use prowess_spec::{Code, Position, Severity};
use serde::Serialize;

use super::report::{Finding, Report, SkillReport};

/// The version of this document's shape.
const VERSION: u32 = 1;

#[derive(Serialize)]
pub(crate) struct Document<'r> {
    version: u32,
    skills: Vec<Skill<'r>>,
    problems: Vec<Problem<'r>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Skill<'r> {
    path: &'r str,
    name: Option<&'r str>,
    valid: bool,
    diagnostics: Vec<Diagnostic<'r>>,
}

#[derive(Serialize)]
struct Diagnostic<'r> {
    code: Code,
    severity: Severity,
    file: &'r str,
    start: Position,
    end: Position,
    message: &'r str,
    help: Option<&'r str>,
    fixable: bool,
}

#[derive(Serialize)]
struct Problem<'r> {
    path: &'r str,
    message: &'r str,
}

#[derive(Serialize)]
struct Summary {
    skills: usize,
    valid: usize,
    invalid: usize,
    errors: usize,
    warnings: usize,
    milliseconds: u128,
}

impl<'r> Document<'r> {
    pub(crate) fn new(report: &'r Report) -> Self {
        let counts = report.counts();
        let problem = |problem: &'r super::report::Problem| Problem {
            path: &problem.path,
            message: &problem.message,
        };
        Self {
            version: VERSION,
            skills: report.skills.iter().map(Skill::new).collect(),
            problems: report.problems.iter().map(problem).collect(),
            summary: Summary {
                skills: counts.skills,
                valid: counts.skills - counts.invalid,
                invalid: counts.invalid,
                errors: counts.errors,
                warnings: counts.warnings,
                milliseconds: report.elapsed.as_millis(),
            },
        }
    }
}

impl<'r> Skill<'r> {
    fn new(skill: &'r SkillReport) -> Self {
        let diagnostic = |finding: &'r Finding| Diagnostic {
            code: finding.code,
            severity: finding.severity,
            file: skill.file(finding).map_or(&skill.path, |file| &file.path),
            start: finding.start,
            end: finding.end,
            message: &finding.message,
            help: finding.help.as_deref(),
            fixable: finding.fixable,
        };
        Self {
            path: &skill.path,
            name: skill.name.as_deref(),
            valid: skill.valid,
            diagnostics: skill.findings.iter().map(diagnostic).collect(),
        }
    }
}
