//! Findings for people: source lines, carets, and what to do.

use std::fmt::Write;
use std::io;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use prowess_spec::Severity;

use super::report::{Counts, Finding, Report, SkillReport};
use crate::terminal;

/// Findings that are drawn for one skill.
const FINDINGS: usize = 50;

/// Prints findings to standard output; problems and the summary to standard error.
pub(crate) fn print(report: &Report, quiet: bool) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(terminal::width());
    let mut out = String::new();
    for skill in &report.skills {
        for finding in skill.findings.iter().take(FINDINGS) {
            let _ = writeln!(out, "{}\n", render(&renderer, skill, finding));
        }
        let more = skill.findings.len().saturating_sub(FINDINGS);
        if more > 0 {
            let path = terminal::printable(&skill.path);
            let _ = writeln!(
                out,
                "... and {more} more in {path}; use `--json` to print all\n"
            );
        }
    }
    terminal::print_styled(&out)?;
    for problem in &report.problems {
        terminal::print_problem(&problem.message, problem.hint);
    }
    let nothing_to_say = report.skills.is_empty() && !report.problems.is_empty();
    if !quiet && !nothing_to_say {
        terminal::note(&summary(report));
    }
    Ok(())
}

fn render(renderer: &Renderer, skill: &SkillReport, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let file = skill.file(finding);
    let path = file.map_or_else(
        || skill.path.clone(),
        |file| terminal::printable(&file.path),
    );
    let excerpt = &finding.excerpt;
    let snippet = Snippet::source(excerpt.text.as_str())
        .path(path)
        .line_start(finding.start.line)
        .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end));
    let title = level
        .primary_title(terminal::printable(&finding.message))
        .id(finding.code.id());
    let help = finding
        .help
        .as_ref()
        .map(|help| Level::HELP.message(terminal::printable(help)));
    renderer.render(&[title.element(snippet).elements(help)])
}

fn summary(report: &Report) -> String {
    let counts = report.counts();
    if counts.skills == 0 {
        return "no skills found: no SKILL.md below the current directory".to_owned();
    }
    let Counts {
        skills,
        invalid,
        errors,
        warnings,
        fixable,
    } = counts;
    let elapsed = report.elapsed;
    let mut text = format!("checked {} in {elapsed:.1?}: ", plural(skills, "skill"));
    match invalid {
        0 => text.push_str("all valid"),
        invalid => {
            let _ = write!(text, "{invalid} invalid");
        }
    }
    let found = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| plural(count, noun))
        .collect::<Vec<_>>()
        .join(", ");
    if !found.is_empty() {
        let _ = write!(text, " ({found})");
    }
    if fixable > 0 {
        let _ = write!(text, "\n{fixable} fixable with `prowess check --fix`");
    }
    text
}

fn plural(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}
