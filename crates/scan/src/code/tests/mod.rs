//! What code does, told from its text.

mod bounds;
mod ecma;
mod facts;
mod powershell;
mod python;
mod shell;

use prowess_syntax::Grammars;

use super::{Analysis, CodeBudget, CodeLanguage, FlowKind, Unit, analyse};

/// The facts of one program.
fn facts(language: CodeLanguage, source: &str) -> Analysis {
    let path = match language {
        CodeLanguage::Python => "scripts/main.py",
        CodeLanguage::JavaScript => "scripts/main.js",
        CodeLanguage::TypeScript => "scripts/main.ts",
        CodeLanguage::Tsx => "scripts/main.tsx",
        CodeLanguage::Shell => "scripts/main.sh",
        CodeLanguage::PowerShell => "scripts/main.ps1",
    };
    analyse(
        &[Unit {
            path,
            language,
            source,
        }],
        &Grammars,
        &CodeBudget::default(),
    )
}

/// The facts of several files.
fn facts_of(files: &[(&str, CodeLanguage, &str)]) -> Analysis {
    let units: Vec<Unit<'_>> = files
        .iter()
        .map(|(path, language, source)| Unit {
            path,
            language: *language,
            source,
        })
        .collect();
    analyse(&units, &Grammars, &CodeBudget::default())
}

fn kinds(analysis: &Analysis) -> Vec<FlowKind> {
    let mut kinds: Vec<FlowKind> = analysis.flows.iter().map(|flow| flow.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Every program of a table has the flow that its row names.
fn check_attacks(language: CodeLanguage, rows: &[(&str, FlowKind, &str)]) {
    let mut missed = Vec::new();
    for (name, kind, source) in rows {
        let analysis = facts(language, source);
        if !kinds(&analysis).contains(kind) {
            missed.push(format!(
                "{name}: expected {kind:?}, found {:?}",
                kinds(&analysis)
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// No program of a table has a flow, but for files that it uploads.
fn check_benign(language: CodeLanguage, rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (name, source) in rows {
        let analysis = facts(language, source);
        for flow in &analysis.flows {
            if flow.kind != FlowKind::FileToNetwork {
                let steps: Vec<String> = flow
                    .steps
                    .iter()
                    .map(|step| step.kind.to_string())
                    .collect();
                wrong.push(format!("{name}: {:?} {steps:?}", flow.kind));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Several files together have the flow.
fn check_files(name: &str, kind: FlowKind, files: &[(&str, CodeLanguage, &str)]) {
    let analysis = facts_of(files);
    assert!(
        kinds(&analysis).contains(&kind),
        "{name}: expected {kind:?}, found {:?}",
        analysis.flows
    );
}
