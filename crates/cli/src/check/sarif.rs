//! Findings as SARIF 2.1.0, for code scanning.

use std::collections::BTreeSet;
use std::fmt::Write;

use prowess_spec::{Code, Severity};
use serde_json::{Value, json};

use super::report::{Finding, Report, SkillReport};
use crate::error::Result;
use crate::terminal;

pub(crate) fn render(report: &Report) -> Result<String> {
    let findings = || {
        report
            .skills
            .iter()
            .flat_map(|skill| skill.findings.iter().map(move |finding| (skill, finding)))
    };
    let codes: Vec<Code> = findings()
        .map(|(_, finding)| finding.code)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let results: Vec<Value> = findings()
        .map(|(skill, finding)| result(skill, finding, &codes))
        .collect();
    let notifications: Vec<Value> = report
        .problems
        .iter()
        .map(|problem| json!({"level": "error", "message": {"text": problem.message}}))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "prowess",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.problems.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    let mut text = terminal::json(&document)?;
    text.push('\n');
    Ok(text)
}

fn rule(code: Code) -> Value {
    let info = code.info();
    json!({
        "id": info.id,
        "shortDescription": {"text": info.title},
        "fullDescription": {"text": info.explanation},
    })
}

fn result(skill: &SkillReport, finding: &Finding, codes: &[Code]) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let help = finding.help.as_ref().map(|help| format!(" (help: {help})"));
    let file = skill.file(finding).map_or(&skill.path, |file| &file.path);
    json!({
        "ruleId": finding.code.id(),
        "ruleIndex": codes.binary_search(&finding.code).unwrap_or_default(),
        "level": level,
        "message": {"text": format!("{}{}", finding.message, help.unwrap_or_default())},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(file)},
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column,
                "byteOffset": finding.start.byte,
                "byteLength": finding.end.byte - finding.start.byte,
            },
        }}],
    })
}

/// A path as a relative or absolute URI reference.
pub(crate) fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
