//! Scans every skill below the folders that are given, and prints the findings: how the rules are tuned.
//!
//! `cargo run --release -p prowess-scan --example scan -- FOLDER...`

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use prowess_scan::{File, Rules, Severity};
use prowess_syntax::Grammars;

fn main() {
    let mut skills = Vec::new();
    for root in env::args().skip(1) {
        find_skills(Path::new(&root), &mut skills);
    }
    skills.sort();
    let mut counts: BTreeMap<(Severity, String), usize> = BTreeMap::new();
    let (mut bytes, mut not_read, mut with_findings) = (0, BTreeMap::<String, usize>::new(), 0);
    for skill in &skills {
        let mut files = Vec::new();
        read(skill, skill, &mut files);
        bytes += files
            .iter()
            .map(|(_, content)| content.len())
            .sum::<usize>();
        let manifest = files
            .iter()
            .find(|(path, _)| path.eq_ignore_ascii_case("SKILL.md"));
        let parsed = manifest
            .map(|(_, content)| prowess_spec::parse(content, &prowess_spec::Context::default()));
        let inputs = files.iter().map(|(path, bytes)| File { path, bytes });
        let report = Rules::base(Arc::new(Grammars)).scan(
            inputs,
            parsed.as_ref().and_then(|parsed| parsed.skill.as_ref()),
        );
        with_findings += usize::from(report.worst().is_some_and(|worst| worst < Severity::Info));
        for found in report.findings {
            *counts
                .entry((found.severity, found.rule.to_string()))
                .or_default() += 1;
            println!(
                "{:?} {} {}/{}:{} {}",
                found.severity,
                found.rule,
                skill.display(),
                found.file,
                found.start.line,
                found.excerpt
            );
            for step in &found.evidence {
                println!(
                    "    {}:{} {}: {}",
                    step.file, step.start.line, step.what, step.excerpt
                );
            }
        }
        for skipped in report.not_read {
            *not_read.entry(format!("{:?}", skipped.reason)).or_default() += 1;
        }
    }
    println!(
        "\n{} skills, {bytes} bytes, {with_findings} with a finding above info",
        skills.len()
    );
    for ((severity, rule), count) in counts {
        println!("{severity:?} {rule}: {count}");
    }
    println!("not read: {not_read:?}");
}

fn find_skills(folder: &Path, skills: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_skills(&path, skills);
        } else if path
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"))
        {
            skills.push(folder.to_owned());
        }
    }
}

fn read(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_other_skill = path.is_dir() && path.join("SKILL.md").exists();
        if path.is_dir() && !is_other_skill {
            read(root, &path, files);
        } else if let (Ok(content), Ok(name)) = (fs::read(&path), path.strip_prefix(root)) {
            files.push((name.to_string_lossy().into_owned(), content));
        }
    }
}
