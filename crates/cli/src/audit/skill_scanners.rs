//! Findings of skills with rules and scanners.

use prowess_runtime::Runtime;
use prowess_scan::limits::FILE_BYTES;
use prowess_scan::{Finding, Report, RuleId};
use prowess_sdk::wire;
use prowess_spec::Position;
use prowess_spec::manifest::{Keyword, RuleSeverity};

use crate::terminal;

/// Lets scanners look at the files of a skill, and handlers at everything that was found.
pub(super) async fn add(runtime: &Runtime, files: &[(String, Vec<u8>)], report: &mut Report) {
    let texts: Vec<wire::ScannedFile> = files
        .iter()
        .filter(|(_, bytes)| bytes.len() <= FILE_BYTES)
        .filter_map(|(path, bytes)| {
            Some(wire::ScannedFile {
                path: path.clone(),
                text: std::str::from_utf8(bytes).ok()?.to_owned(),
            })
        })
        .collect();
    let (found, problems) = runtime.scan(&texts).await;
    for problem in problems {
        terminal::note(&terminal::printable(&problem));
    }
    let all: Vec<wire::Finding> = report.findings.iter().map(to_wire).chain(found).collect();
    let findings = runtime.scan_complete(all).await;
    let known = std::mem::take(&mut report.findings);
    for finding in findings {
        // Our own findings have more details than those returned by skills.
        let own = known.iter().find(|it| to_wire(it) == finding);
        let finding = own.cloned().or_else(|| from_wire(&finding, &texts));
        report.findings.extend(finding);
    }
    report.findings.sort_by(|a, b| {
        let place = |it: &Finding| (it.file.clone(), it.start.line, it.start.column);
        place(a).cmp(&place(b))
    });
}

fn to_wire(finding: &Finding) -> wire::Finding {
    wire::Finding {
        rule: finding.rule.as_str().to_owned(),
        severity: finding.severity.as_str().to_owned(),
        file: finding.file.clone(),
        line: Some(finding.start.line),
        message: finding.message.clone(),
    }
}

fn from_wire(finding: &wire::Finding, files: &[wire::ScannedFile]) -> Option<Finding> {
    let line = finding.line.unwrap_or(1).max(1);
    let file = files.iter().find(|file| file.path == finding.file);
    let whole = file.map_or("", |file| file.text.as_str());
    let before: usize = whole
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let text = whole.lines().nth(line - 1).unwrap_or_default();
    let at = |column: usize, byte: usize| Position { line, column, byte };
    Some(Finding {
        rule: RuleId::parse(&finding.rule)?,
        // Unknown words do not hide the finding.
        severity: RuleSeverity::parse(&finding.severity).unwrap_or(RuleSeverity::High),
        file: finding.file.clone(),
        start: at(1, before),
        end: at(text.chars().count() + 1, before + text.len()),
        excerpt: text.chars().take(200).collect(),
        message: finding.message.clone(),
        help: "see the skill that reports this".to_owned(),
        evidence: Vec::new(),
    })
}
