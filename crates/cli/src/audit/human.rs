//! Findings for people: source lines, carets, and what was not read.

use std::fmt::Write;
use std::io;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use prowess_scan::{Finding, NotRead, Severity, Verdict};
use prowess_spec::Position;
use prowess_spec::manifest::Keyword;

use super::AuditedSkill;
use crate::check::excerpt::{Excerpt, excerpt};
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
    if audited.len() > 1 {
        list_verdicts(audited);
    }
    terminal::note(&summary(audited));
    if audited.iter().any(AuditedSkill::has_unread_code) {
        terminal::note("hint: review these files yourself, or do not use the skill");
    }
    if let [skill] = audited
        && skill.verdict() != Verdict::Clean
    {
        let rule = match skill.verdict() {
            Verdict::Unverified => "unverified",
            _ => "RULE",
        };
        terminal::hint(&format!(
            "to accept it, add \"{rule}@{}\" to [audit] allow in your own prowess.toml",
            skill.digest
        ));
    }
    Ok(())
}

/// The skills that need a look, the worst first.
fn list_verdicts(audited: &[AuditedSkill]) {
    for verdict in [Verdict::Dangerous, Verdict::Suspicious, Verdict::Unverified] {
        for skill in audited.iter().filter(|skill| skill.verdict() == verdict) {
            let word = verdict.to_string();
            terminal::note(&format!("{word:<10}  {}", terminal::printable(&skill.name)));
        }
    }
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
    let excerpt = match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() => excerpt(bytes, finding.start, finding.end),
        // A part of a file, or a file in another encoding: the report has the text.
        _ => Excerpt {
            text: finding.excerpt.clone(),
            start: 0,
            end: finding.excerpt.len(),
        },
    };
    let snippet = Snippet::source(excerpt.text.as_str())
        .path(shown(skill, &finding.file))
        .line_start(finding.start.line)
        .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end));
    let message = format!("{} ({})", finding.message, finding.severity.as_str());
    let title = level
        .primary_title(terminal::printable(&message))
        .id(finding.rule.as_str());
    let help = Level::HELP.message(terminal::printable(&finding.help));
    let mut group = title.element(snippet);
    // One step says no more than the line above.
    if finding.evidence.len() > 1 {
        group = group.element(Level::NOTE.with_name("evidence").message(chain(finding)));
    }
    renderer.render(&[group.element(help)])
}

/// The steps that lead to a finding, one a line.
fn chain(finding: &Finding) -> String {
    let lines: Vec<String> = finding
        .evidence
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let Position { line, column, .. } = step.start;
            let (file, what, text) = (&step.file, &step.what, &step.excerpt);
            terminal::printable(&format!(
                "{}. {file}:{line}:{column} {what}: {text}",
                index + 1
            ))
        })
        .collect();
    lines.join("\n")
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
    let allowed: usize = audited.iter().map(|skill| skill.allowed).sum();
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let found = match severities.len() {
        0 => verdicts(audited),
        count => format!(
            "{}; {} ({})",
            verdicts(audited),
            plural(count, "finding"),
            count_severities(&severities)
        ),
    };
    let left = match not_read {
        0 => String::new(),
        count => format!("; {} not read", plural(count, "thing")),
    };
    let allowed = match allowed {
        0 => String::new(),
        count => format!("; {} allowed by you", plural(count, "finding")),
    };
    format!(
        "audited {}: {found}{left}{allowed}",
        plural(audited.len(), "skill")
    )
}

/// The verdict of one skill, or how many have which.
fn verdicts(audited: &[AuditedSkill]) -> String {
    if let [only] = audited {
        return only.verdict().to_string();
    }
    let worst_first = [
        Verdict::Dangerous,
        Verdict::Suspicious,
        Verdict::Unverified,
        Verdict::Clean,
    ];
    let counts: Vec<String> = worst_first
        .into_iter()
        .filter_map(|verdict| {
            let count = audited
                .iter()
                .filter(|skill| skill.verdict() == verdict)
                .count();
            (count > 0).then(|| format!("{count} {verdict}"))
        })
        .collect();
    counts.join(", ")
}
