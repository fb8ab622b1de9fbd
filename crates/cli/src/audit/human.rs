//! Findings for people: source lines, carets, and what was not read.

use std::fmt::Write;
use std::io;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use prowess_scan::{Finding, NotRead, Severity, Verdict};
use prowess_spec::manifest::Keyword;

use super::AuditedSkill;
use crate::check::excerpt::excerpt;
use crate::severities::count_severities;
use crate::terminal;

pub(super) fn print(audited: &[AuditedSkill], quiet: bool) -> io::Result<()> {
    let renderer = Renderer::styled().term_width(terminal::width());
    let mut out = String::new();
    for skill in audited {
        for finding in &skill.report.findings {
            let _ = writeln!(out, "{}\n", render(&renderer, skill, finding));
        }
        for omitted in &skill.report.omitted {
            let (file, rule) = (shown(skill, &omitted.file), &omitted.rule);
            let _ = writeln!(out, "... and {} more of {rule} in {file}\n", omitted.count);
        }
    }
    terminal::print_styled(&out)?;
    if quiet {
        return Ok(());
    }
    for skill in audited {
        for not_read in &skill.report.not_read {
            let file = shown(skill, &not_read.file);
            terminal::note(&format!("not read: {file}{}", why(not_read)));
        }
        for (file, reason) in &skill.unreadable {
            let reason = terminal::printable(reason);
            terminal::note(&format!("not read: {}: {reason}", shown(skill, file)));
        }
    }
    terminal::note(&summary(audited));
    if audited.iter().any(AuditedSkill::has_unread_code) {
        terminal::note("hint: review these files yourself, or do not use the skill");
    }
    Ok(())
}

fn shown(skill: &AuditedSkill, file: &str) -> String {
    terminal::printable(&format!("{}/{file}", skill.name))
}

fn why(not_read: &NotRead) -> String {
    let line = not_read
        .line
        .map_or(String::new(), |line| format!(":{line}"));
    format!("{line}: {}", not_read.reason)
}

fn render(renderer: &Renderer, skill: &AuditedSkill, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Critical | Severity::High => Level::ERROR,
        Severity::Medium | Severity::Low => Level::WARNING,
        Severity::Info => Level::NOTE,
    };
    let bytes = skill
        .files
        .iter()
        .find(|(path, _)| *path == finding.file)
        .map_or(&[][..], |(_, bytes)| bytes);
    let excerpt = excerpt(bytes, finding.start, finding.end);
    let snippet = Snippet::source(excerpt.text.as_str())
        .path(shown(skill, &finding.file))
        .line_start(finding.start.line)
        .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end));
    let message = format!("{} ({})", finding.message, finding.severity.as_str());
    let title = level
        .primary_title(terminal::printable(&message))
        .id(finding.rule.as_str());
    let help = Level::HELP.message(terminal::printable(&finding.help));
    renderer.render(&[title.element(snippet).element(help)])
}

/// Whether a skill without findings has code that was not read.
fn is_unverified(audited: &[AuditedSkill]) -> bool {
    audited
        .iter()
        .any(|skill| skill.verdict() == Verdict::Unverified)
}

fn summary(audited: &[AuditedSkill]) -> String {
    let severities: Vec<Severity> = audited
        .iter()
        .flat_map(|skill| skill.report.findings.iter().map(|found| found.severity))
        .collect();
    let not_read: usize = audited
        .iter()
        .map(|skill| skill.report.not_read.len() + skill.unreadable.len())
        .sum();
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let found = match severities.len() {
        0 if is_unverified(audited) => "unverified".to_owned(),
        0 => "nothing found".to_owned(),
        count => format!(
            "{} ({})",
            plural(count, "finding"),
            count_severities(&severities)
        ),
    };
    let unverified = match severities.len() {
        1.. if is_unverified(audited) => "; the rest is unverified",
        _ => "",
    };
    let left = match not_read {
        0 => String::new(),
        count => format!("; {} not read", plural(count, "thing")),
    };
    format!(
        "audited {}: {found}{unverified}{left}",
        plural(audited.len(), "skill")
    )
}
