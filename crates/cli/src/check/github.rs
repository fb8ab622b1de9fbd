//! Findings as workflow commands, which GitHub shows beside the lines of a pull request.

use std::fmt::Write;

use prowess_spec::Severity;

use super::report::Report;

pub(crate) fn render(report: &Report) -> String {
    let mut out = String::new();
    for skill in &report.skills {
        for finding in &skill.findings {
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let file = skill.file(finding).map_or(&skill.path, |file| &file.path);
            let help = finding.help.as_ref().map(|help| format!("\nhelp: {help}"));
            let _ = writeln!(
                out,
                "::{level} file={},line={},col={},endLine={},endColumn={},title={}::{}",
                property(file),
                finding.start.line,
                finding.start.column,
                finding.end.line,
                finding.end.column,
                property(finding.code.id()),
                data(&format!("{}{}", finding.message, help.unwrap_or_default())),
            );
        }
    }
    for problem in &report.problems {
        let _ = writeln!(
            out,
            "::error file={}::{}",
            property(&problem.path),
            data(&problem.message)
        );
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
