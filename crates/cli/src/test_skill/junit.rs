//! Results as XML in the format of `JUnit`.

use std::fmt::Write as _;

use prowess_spec::{Severity, is_hidden};

use super::report::{CaseResult, Outcome, SkillTests, TestReport};

/// One suite for each skill, after one for the check.
pub(super) fn render(report: &TestReport) -> String {
    let mut suites = check_suite(report);
    for skill in &report.skills {
        suites.push_str(&skill_suite(skill));
    }
    let time = report.elapsed.as_secs_f64();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prowess test\" time=\"{time:.3}\">\n{suites}</testsuites>\n"
    )
}

/// A suite with a case for each skill that is checked.
fn check_suite(report: &TestReport) -> String {
    let mut cases = String::new();
    let (mut failures, mut errors) = (0, 0);
    for skill in &report.check.skills {
        let found = skill.findings.iter();
        let found = found.filter(|it| it.severity == Severity::Error);
        let lines = found.map(|it| {
            let file = skill.file(it).map_or("", |file| file.path.as_str());
            format!(
                "{file}:{}:{}: {}",
                it.start.line, it.start.column, it.message
            )
        });
        let lines = lines.collect::<Vec<_>>().join("\n");
        let problem = (!skill.valid).then_some(("failure", lines.as_str()));
        failures += usize::from(!skill.valid);
        cases.push_str(&test_case("check", &skill.path, 0.0, problem));
    }
    for problem in &report.check.problems {
        errors += 1;
        let problem_text = Some(("error", problem.message.as_str()));
        cases.push_str(&test_case("check", &problem.path, 0.0, problem_text));
    }
    let count = report.check.skills.len() + errors;
    let time = report.check.elapsed.as_secs_f64();
    suite("check", count, failures, errors, time, &cases)
}

fn skill_suite(skill: &SkillTests) -> String {
    let id = skill.id.as_str();
    let mut cases = String::new();
    let (mut failures, mut errors) = (0, skill.problems.len());
    for (file, problem) in &skill.problems {
        let name = format!("{file}:{}:{}", problem.line, problem.column);
        let problem = Some(("error", problem.message.as_str()));
        cases.push_str(&test_case(id, &name, 0.0, problem));
    }
    for case in &skill.cases {
        let kind = match case.outcome {
            Outcome::Passed => None,
            Outcome::Failed(_) => {
                failures += 1;
                Some("failure")
            }
            Outcome::NotRun(_) | Outcome::NotApproved(..) => {
                errors += 1;
                Some("error")
            }
        };
        let details = details(case);
        let problem = kind.map(|kind| (kind, details.as_str()));
        let time = case.elapsed.as_secs_f64();
        cases.push_str(&test_case(id, &case.name, time, problem));
    }
    let count = skill.cases.len() + skill.problems.len();
    let time = skill.cases.iter().map(|case| case.elapsed.as_secs_f64());
    suite(id, count, failures, errors, time.sum(), &cases)
}

fn details(case: &CaseResult) -> String {
    let mut lines = vec![format!("{}:{}", case.file, case.line)];
    lines.extend(case.outcome.message().map(str::to_owned));
    lines.extend(case.notes.iter().cloned());
    lines.join("\n")
}

fn suite(
    name: &str,
    count: usize,
    failures: usize,
    errors: usize,
    time: f64,
    cases: &str,
) -> String {
    let name = escaped(name);
    format!(
        "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\">\n{cases}  </testsuite>\n"
    )
}

fn test_case(class: &str, name: &str, time: f64, problem: Option<(&str, &str)>) -> String {
    let (class, name) = (escaped(class), escaped(name));
    let start = format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"{time:.3}\"");
    match problem {
        None => format!("{start}/>\n"),
        Some((kind, text)) => {
            let first = escaped(text.lines().next().unwrap_or_default());
            let text = escaped(text);
            format!(
                "{start}>\n      <{kind} message=\"{first}\">{text}</{kind}>\n    </testcase>\n"
            )
        }
    }
}

/// Text of XML 1.0, which has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c if is_hidden(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.extend(c.escape_default());
            }
            c => out.push(c),
        }
    }
    out
}
