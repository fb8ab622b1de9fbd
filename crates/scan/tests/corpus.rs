//! Skills that must stay clean, and skills that must not pass.
//!
//! `clean/NAME.ext` has no finding above info, but for those of `KNOWN`, and nothing in it is unread.
//! `quoting/NAME.ext` shows attacks. It is found like an attack: the words that say so are the author's.
//! `hostile/RULE.NAME.ext` has a finding of RULE above info.
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_scan::{File, Report, Rules, Severity, base_rules};
use prowess_syntax::Grammars;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn scan(path: &Path) -> Report {
    let bytes = fs::read(path).unwrap();
    let extension = path.extension().unwrap().to_str().unwrap();
    let name = if name(path).starts_with("plugin-in-skill.") {
        ".claude-plugin/plugin.json".to_owned()
    } else if extension == "md" {
        "SKILL.md".to_owned()
    } else {
        format!("scripts/run.{extension}")
    };
    let parsed = prowess_spec::parse(&bytes, &prowess_spec::Context::default());
    let skill = parsed.skill.as_ref().filter(|_| extension == "md");
    Rules::base(Arc::new(Grammars)).scan(
        [File {
            path: &name,
            bytes: &bytes,
        }],
        skill,
    )
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Findings in clean files: `allowed-tools: Bash` does let every command run.
const KNOWN: &[(&str, &str)] = &[("build-allowed.md", "wide-tools")];

#[test]
fn clean_skills_have_no_findings() {
    let all = files("clean");
    assert!(all.len() >= 40, "{}", all.len());
    let mut wrong = Vec::new();
    for path in all {
        let report = scan(&path);
        let unread = report
            .unread_code()
            .map(|it| format!("{}: {it:?}", name(&path)));
        wrong.extend(unread);
        for found in report.findings {
            let known = KNOWN.contains(&(name(&path).as_str(), found.rule.as_str()));
            if !known && found.severity < Severity::Info {
                wrong.push(format!(
                    "{}:{} {:?} {} {}",
                    name(&path),
                    found.start.line,
                    found.severity,
                    found.rule,
                    found.excerpt
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_of_attacks_are_found() {
    let all = files("quoting");
    assert!(all.len() >= 7, "{}", all.len());
    for path in all {
        let worst = scan(&path).worst();
        assert!(worst <= Some(Severity::High), "{}: {worst:?}", name(&path));
    }
}

#[test]
fn hostile_skills_are_found() {
    let all = files("hostile");
    assert!(all.len() >= 80, "{}", all.len());
    let mut wrong = Vec::new();
    for path in &all {
        let name = name(path);
        let rule = name.split('.').next().unwrap();
        assert!(base_rules().any(|known| known.id == rule), "{name}");
        let findings = scan(path).findings;
        if !findings
            .iter()
            .any(|found| found.rule.as_str() == rule && found.severity < Severity::Info)
        {
            let seen: Vec<String> = findings
                .iter()
                .map(|found| format!("{:?} {}", found.severity, found.rule))
                .collect();
            wrong.push(format!("{name}: only {seen:?}"));
        }
    }
    // A file that ends a parser of today would not end the next one: `base_rules.rs` has a parser that dies.
    for rule in base_rules().filter(|rule| rule.id != "parser-crash") {
        let covered = all
            .iter()
            .any(|path| name(path).split('.').next() == Some(rule.id));
        if !covered {
            wrong.push(format!("{} has no hostile file", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
