//! Findings as SARIF 2.1.0, for code scanning.

use std::collections::BTreeMap;

use prowess_scan::{Finding, Severity};
use serde_json::{Value, json};

use super::Audited;
use crate::check::sarif::uri;
use crate::terminal;

pub(super) fn render(audited: &[Audited]) -> String {
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
            (id, json!({"id": id, "help": {"text": found.help}}))
        })
        .collect();
    let results: Vec<Value> = findings()
        .map(|(skill, found)| result(skill, found))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "prowess audit",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    terminal::visible_json(&format!("{document:#}\n"))
}

fn result(skill: &Audited, found: &Finding) -> Value {
    let level = match found.severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium | Severity::Low => "warning",
        Severity::Info => "note",
    };
    json!({
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
    })
}
