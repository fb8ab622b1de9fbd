//! Findings as SARIF 2.1.0, for code scanning.

use std::collections::BTreeMap;

use prowess_scan::{Evidence, Finding, Severity};
use serde_json::{Value, json};

use super::AuditedSkill;
use crate::check::sarif::uri;
use crate::terminal;

pub(super) fn render(audited: &[AuditedSkill]) -> String {
    let findings = || {
        audited.iter().flat_map(|skill| {
            skill
                .report
                .findings
                .iter()
                .map(move |found| (skill, found))
        })
    };
    let rules: BTreeMap<&str, Value> = findings()
        .map(|(_, found)| {
            let id = found.rule.as_str();
            let score = match found.severity {
                Severity::Critical => "9.5",
                Severity::High => "8.0",
                Severity::Medium => "5.0",
                Severity::Low => "2.0",
                Severity::Info => "0.0",
            };
            let rule = json!({
                "id": id,
                "shortDescription": {"text": found.message},
                "help": {"text": found.help},
                "properties": {"security-severity": score},
            });
            (id, rule)
        })
        .collect();
    let unread: Vec<Value> = audited.iter().flat_map(unverified).collect();
    let mut rules: Vec<Value> = rules.into_values().collect();
    if !unread.is_empty() {
        rules.push(json!({
            "id": "unverified",
            "help": {"text": "review this file yourself, or do not use the skill"},
        }));
    }
    let results: Vec<Value> = findings()
        .map(|(skill, found)| result(skill, found))
        .chain(unread)
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "prowess audit",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    terminal::visible_json(&format!("{document:#}\n"))
}

/// A result for each thing that may be code and was not read.
fn unverified(skill: &AuditedSkill) -> impl Iterator<Item = Value> {
    let unread = skill.report.unread_code();
    let unread = unread.map(|it| (&it.file, it.line.unwrap_or(1), it.reason.to_string()));
    let unreadable = skill.unreadable.iter();
    let unreadable = unreadable.map(|(file, reason)| (file, 1, reason.clone()));
    unread.chain(unreadable).map(|(file, line, reason)| {
        json!({
            "ruleId": "unverified",
            "level": "warning",
            "message": {"text": format!("not read: {reason}")},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(&format!("{}/{file}", skill.name))},
                "region": {"startLine": line},
            }}],
        })
    })
}

fn result(skill: &AuditedSkill, found: &Finding) -> Value {
    let level = match found.severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium | Severity::Low => "warning",
        Severity::Info => "note",
    };
    let mut result = json!({
        "ruleId": found.rule.as_str(),
        "level": level,
        "message": {"text": format!("{} (help: {})", found.message, found.help)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&format!("{}/{}", skill.name, found.file))},
            "region": {
                "startLine": found.start.line,
                "startColumn": found.start.column,
                "endLine": found.end.line,
                "endColumn": found.end.column,
            },
        }}],
    });
    if found.evidence.len() > 1
        && let Some(fields) = result.as_object_mut()
    {
        let steps: Vec<Value> = found
            .evidence
            .iter()
            .map(|step| flow(skill, step))
            .collect();
        fields.insert(
            "codeFlows".to_owned(),
            json!([{"threadFlows": [{"locations": steps}]}]),
        );
    }
    result
}

/// One step of a chain of evidence.
fn flow(skill: &AuditedSkill, step: &Evidence) -> Value {
    json!({"location": {
        "message": {"text": step.what},
        "physicalLocation": {
            "artifactLocation": {"uri": uri(&format!("{}/{}", skill.name, step.file))},
            "region": {"startLine": step.start.line, "startColumn": step.start.column},
        },
    }})
}
