//! Tests all skills of a path.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use prowess_core::SkillId;
use prowess_runtime::Approver;
use prowess_spec::SkillPath;

use super::case::{Action, Case};
use super::read::{FileProblem, read};
use super::report::{CaseResult, Outcome, SkillTests, TestReport};
use super::run_case::run_case;
use crate::arguments::Global;
use crate::check;
use crate::code_skills::{PathOrigin, ResolvedSkills, resolve_path};
use crate::error::{CommandError, Result};

/// Bytes of a test file.
const FILE_BYTES: usize = 1024 * 1024;

/// What to test, and what for.
pub(crate) struct TestPlan<'a> {
    pub(crate) path: &'a Path,
    pub(crate) origin: PathOrigin,
    /// A text in the names of the cases to run.
    pub(crate) only: Option<&'a str>,
    pub(crate) approve_skills: &'a [String],
    pub(crate) approver: Arc<dyn Approver>,
}

impl TestPlan<'_> {
    /// Checks the skills and runs their cases.
    pub(crate) async fn run(&self, global: &Global) -> Result<TestReport> {
        let start = Instant::now();
        let check = check::check_path(self.path, global.quiet);
        if check.skills.is_empty() && check.problems.is_empty() {
            let message = format!("no skill in {}", self.path.display());
            return Err(CommandError::failure(message)
                .hint("pass the directory of a skill, or one that has skills below it"));
        }
        let mut skills = Vec::new();
        if !check.skills.is_empty() {
            let approver = Arc::clone(&self.approver);
            let resolved = resolve_path(
                self.path,
                self.origin,
                self.approve_skills,
                global,
                approver,
            )
            .await?;
            for id in resolved.ids_of(self.path) {
                skills.push(self.test(&resolved, id).await);
            }
        }
        Ok(TestReport {
            check,
            skills,
            elapsed: start.elapsed(),
        })
    }

    async fn test(&self, resolved: &ResolvedSkills, id: SkillId) -> SkillTests {
        let (cases, problems) = cases(resolved, &id).await;
        let mut tests = SkillTests {
            id,
            cases: Vec::new(),
            problems,
            skipped: 0,
        };
        // A user who said no is not asked again for each case.
        let mut refused: Option<Outcome> = None;
        for (file, case) in cases {
            if self.only.is_some_and(|text| !case.name.contains(text)) {
                tests.skipped += 1;
                continue;
            }
            let start = Instant::now();
            let runs_code = !matches!(case.action, Action::Trigger { .. });
            let (outcome, notes) = match refused.clone().filter(|_| runs_code) {
                Some(outcome) => (outcome, Vec::new()),
                None => run_case(resolved, &tests.id, &case).await,
            };
            if let Outcome::NotApproved(..) = outcome {
                refused = Some(outcome.clone());
            }
            tests.cases.push(CaseResult {
                name: case.name,
                action: case.action.key(),
                file,
                line: case.line,
                outcome,
                notes,
                elapsed: start.elapsed(),
            });
        }
        tests
    }
}

/// The cases of a skill, with their files.
async fn cases(
    resolved: &ResolvedSkills,
    id: &SkillId,
) -> (Vec<(String, Case)>, Vec<(String, FileProblem)>) {
    let mut cases = Vec::new();
    let mut problems = Vec::new();
    let unreadable = |message: String| FileProblem {
        line: 1,
        column: 1,
        message,
    };
    let sources = resolved.skills.sources();
    let mut paths: Vec<SkillPath> = match sources.files(id).await {
        Ok(files) => files.into_iter().map(|file| file.path).collect(),
        Err(error) => {
            problems.push(("tests".to_owned(), unreadable(error.to_string())));
            Vec::new()
        }
    };
    paths.retain(|path| is_test_file(path.as_str()));
    paths.sort();
    for name in unlisted(resolved, id, &paths) {
        problems.push((name, unreadable("it is not a regular file".to_owned())));
    }
    for path in paths {
        let name = path.to_string();
        match sources.read(id, &path, 0, FILE_BYTES + 1).await {
            Ok(part) if part.bytes.len() > FILE_BYTES => {
                let message = format!("a test file may have {FILE_BYTES} bytes");
                problems.push((name, unreadable(message)));
            }
            Ok(part) => {
                let (found, wrong) = read(&part.bytes);
                cases.extend(found.into_iter().map(|case| (name.clone(), case)));
                problems.extend(wrong.into_iter().map(|problem| (name.clone(), problem)));
            }
            Err(error) => problems.push((name, unreadable(error.to_string()))),
        }
    }
    (cases, problems)
}

/// Test files in the directory of a skill that are no part of it, such as links and pipes: their cases do not run.
fn unlisted(resolved: &ResolvedSkills, id: &SkillId, paths: &[SkillPath]) -> Vec<String> {
    let location = resolved
        .skills
        .sources()
        .location(&resolved.skills.catalog(), id);
    let directory = location.map(|location| Path::new(&location).join("tests"));
    let entries = directory.and_then(|directory| fs::read_dir(directory).ok());
    let entries = entries.into_iter().flatten().flatten();
    let names = entries.map(|entry| format!("tests/{}", entry.file_name().to_string_lossy()));
    let is_listed = |name: &str| paths.iter().any(|path| path.as_str() == name);
    let mut names: Vec<String> = names
        .filter(|name| is_test_file(name) && !is_listed(name))
        .collect();
    names.sort_unstable();
    names
}

/// Whether a path is `tests/*.toml`.
fn is_test_file(path: &str) -> bool {
    let name = path.strip_prefix("tests/").unwrap_or_default();
    let stem = name.strip_suffix(".toml").unwrap_or_default();
    !stem.is_empty() && !stem.starts_with('.') && !stem.contains('/')
}
