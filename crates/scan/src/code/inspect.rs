//! The facts as lines of text, for the example that prints them over a folder.

use prowess_syntax::SyntaxTrees;

use super::{CodeBudget, CodeLanguage, Unit, analyse};

/// The language of a file by its name.
pub fn language(path: &str) -> Option<&'static str> {
    let ending = path.rsplit_once('.')?.1;
    Some(match ending {
        "py" => "python",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "sh" | "bash" | "zsh" => "shell",
        "ps1" | "psm1" => "powershell",
        _ => return None,
    })
}

fn known(language: &str) -> Option<CodeLanguage> {
    Some(match language {
        "python" => CodeLanguage::Python,
        "javascript" => CodeLanguage::JavaScript,
        "typescript" => CodeLanguage::TypeScript,
        "tsx" => CodeLanguage::Tsx,
        "shell" => CodeLanguage::Shell,
        "powershell" => CodeLanguage::PowerShell,
        _ => return None,
    })
}

/// Analyses units of path, language and source, and tells each fact in a line.
pub fn lines(units: &[(String, String, String)], trees: &dyn SyntaxTrees) -> Vec<String> {
    let units: Vec<Unit<'_>> = units
        .iter()
        .filter_map(|(path, language, source)| {
            Some(Unit {
                path,
                language: known(language)?,
                source,
            })
        })
        .collect();
    let facts = analyse(&units, trees, &CodeBudget::default());
    let line = |unit: usize, at: usize| {
        let source = units.get(unit).map_or("", |unit| unit.source);
        let number = source.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("{}:{number}", units.get(unit).map_or("", |unit| unit.path))
    };
    let mut out = Vec::new();
    for flow in &facts.flows {
        let steps: Vec<String> = flow
            .steps
            .iter()
            .map(|step| format!("{} [{}]", step.kind, line(step.unit, step.span.start)))
            .collect();
        out.push(format!("flow {:?}: {}", flow.kind, steps.join(" -> ")));
    }
    for capability in &facts.capabilities {
        out.push(format!(
            "can {:?}: {} [{}]",
            capability.kind,
            capability.detail,
            line(capability.unit, capability.span.start)
        ));
    }
    for text in &facts.texts {
        let start: String = text.text.chars().take(120).collect();
        out.push(format!(
            "text {}: {start:?} [{}]",
            text.how,
            line(text.unit, text.span.start)
        ));
    }
    for part in &facts.unparsed {
        out.push(format!(
            "unparsed {:?} [{}]",
            part.reason,
            line(part.unit, part.span.start)
        ));
    }
    out
}
