//! The results of `test`.

use std::time::Duration;

use prowess_core::SkillId;

use super::read::FileProblem;
use crate::check;
use crate::exit::Exit;

/// The results of all skills of a path.
pub(crate) struct TestReport {
    pub(crate) check: check::Report,
    pub(super) skills: Vec<SkillTests>,
    pub(super) elapsed: Duration,
}

/// The results of one skill.
pub(super) struct SkillTests {
    pub(super) id: SkillId,
    pub(super) cases: Vec<CaseResult>,
    /// What is wrong with its test files, by file.
    pub(super) problems: Vec<(String, FileProblem)>,
    /// Cases that were not chosen.
    pub(super) skipped: usize,
}

/// The result of one case.
pub(super) struct CaseResult {
    pub(super) name: String,
    /// The key of its action.
    pub(super) action: &'static str,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) outcome: Outcome,
    /// What the skill reported.
    pub(super) notes: Vec<String>,
    pub(super) elapsed: Duration,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// As expected.
    Passed,
    /// Not as expected.
    Failed(String),
    /// It could not run.
    NotRun(String),
    /// The code is not approved; with what to type.
    NotApproved(String, Option<String>),
}

impl Outcome {
    /// A word for programs.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::NotRun(_) => "not-run",
            Self::NotApproved(..) => "not-approved",
        }
    }

    pub(super) fn message(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::Failed(message) | Self::NotRun(message) | Self::NotApproved(message, _) => {
                Some(message)
            }
        }
    }
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Also the problems of test files.
    pub(crate) not_run: usize,
    pub(crate) not_approved: usize,
}

impl TestReport {
    pub(crate) fn counts(&self) -> TestCounts {
        let mut counts = TestCounts::default();
        for skill in &self.skills {
            counts.not_run += skill.problems.len();
            for case in &skill.cases {
                match case.outcome {
                    Outcome::Passed => counts.passed += 1,
                    Outcome::Failed(_) => counts.failed += 1,
                    Outcome::NotRun(_) => counts.not_run += 1,
                    Outcome::NotApproved(..) => counts.not_approved += 1,
                }
            }
        }
        counts
    }

    pub(crate) fn exit(&self) -> Exit {
        let counts = self.counts();
        match check::exit(&self.check) {
            Exit::Failure => Exit::Failure,
            _ if counts.not_run + counts.not_approved > 0 => Exit::Failure,
            _ if counts.failed > 0 => Exit::Findings,
            exit => exit,
        }
    }
}
