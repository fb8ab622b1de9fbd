//! Results for people.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::report::{CaseResult, Outcome, SkillTests, TestCounts, TestReport};
use crate::{check, terminal};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The widest column of names.
const NAME_WIDTH: usize = 60;

/// Prints results to standard output; hints and the summary to standard error.
pub(crate) fn print(report: &TestReport, quiet: bool) -> io::Result<()> {
    // The summary of the check would be a second one.
    check::print(&report.check, true)?;
    let mut text = String::new();
    for skill in &report.skills {
        print_skill(skill, &mut text);
    }
    terminal::print_styled(&text)?;
    for hint in hints(report) {
        terminal::hint(hint);
    }
    if !quiet {
        terminal::note(&summary(report));
    }
    Ok(())
}

fn print_skill(skill: &SkillTests, text: &mut String) {
    let _ = writeln!(text, "{}", terminal::printable(skill.id.as_str()));
    for (file, problem) in &skill.problems {
        let message = terminal::printable(&problem.message);
        let (line, column) = (problem.line, problem.column);
        let file = terminal::printable(file);
        let _ = writeln!(
            text,
            "  {BAD}error{BAD:#}  {file}:{line}:{column}: {message}"
        );
    }
    let names = skill.cases.iter().map(|case| case.name.width());
    let width = names.max().unwrap_or_default().min(NAME_WIDTH);
    for case in &skill.cases {
        print_case(case, width, text);
    }
    if skill.cases.is_empty() && skill.problems.is_empty() {
        let line = match skill.skipped {
            0 => "no test cases in tests/*.toml",
            _ => "no test case has this name",
        };
        let _ = writeln!(text, "  {line}");
    }
}

fn print_case(case: &CaseResult, width: usize, text: &mut String) {
    let (style, word) = match case.outcome {
        Outcome::Passed => (GOOD, "ok   "),
        Outcome::Failed(_) => (BAD, "FAIL "),
        Outcome::NotRun(_) | Outcome::NotApproved(..) => (BAD, "error"),
    };
    let name = terminal::printable(&one_line(&case.name));
    let space = " ".repeat(width.saturating_sub(name.width()));
    let time = shown_time(case.elapsed);
    let _ = writeln!(text, "  {style}{word}{style:#}  {name}{space}  {time}");
    let Some(message) = case.outcome.message() else {
        return;
    };
    let place = format!("{}:{}", case.file, case.line);
    let lines = message.lines().chain(case.notes.iter().map(String::as_str));
    for line in [place.as_str()].into_iter().chain(lines) {
        let _ = writeln!(text, "         {}", terminal::printable(line));
    }
}

/// Each hint once.
fn hints(report: &TestReport) -> Vec<&str> {
    let cases = report.skills.iter().flat_map(|skill| &skill.cases);
    let mut hints: Vec<&str> = cases
        .filter_map(|case| match &case.outcome {
            Outcome::NotApproved(_, hint) => hint.as_deref(),
            _ => None,
        })
        .collect();
    hints.dedup();
    hints
}

fn summary(report: &TestReport) -> String {
    let TestCounts {
        passed,
        failed,
        not_run,
        not_approved,
    } = report.counts();
    let mut parts = vec![format!("{passed} passed")];
    let others = [
        (failed, "failed"),
        (not_run, "could not run"),
        (not_approved, "not approved"),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0);
    parts.extend(others.map(|(count, word)| format!("{count} {word}")));
    let invalid = report.check.counts().invalid;
    if invalid > 0 {
        let s = if invalid == 1 { "" } else { "s" };
        parts.push(format!("{invalid} invalid skill{s}"));
    }
    format!("{} in {}", parts.join(", "), shown_time(report.elapsed))
}

/// A time with as many digits as are of interest.
fn shown_time(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    format!("{:.1} s", time.as_secs_f64())
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
