//! The sessions in the README and the guide are what the program prints.
#![cfg(test)]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use prowess_testing::{at_home, repository};
use support::{TestProject, without_digests, without_seconds, without_times};

/// The commands of a document's `console` blocks, each with the output shown below it.
fn sessions(document: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(repository().join(document)).unwrap();
    let mut sessions: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => {
                if let Some(command) = line.strip_prefix("$ ") {
                    sessions.push((command.to_owned(), String::new()));
                } else {
                    let (_, output) = sessions.last_mut().unwrap();
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    sessions
}

/// The words of a command line; double quotes keep them together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    words.collect()
}

fn check(document: &str) {
    check_in(document, repository());
}

fn check_in(document: &str, directory: &Path) {
    let sessions = sessions(document);
    assert!(!sessions.is_empty());
    for (command, expected) in sessions {
        let arguments = command.strip_prefix("prowess ").unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_prowess"));
        let output = at_home(&mut program, home.path())
            .args(words(arguments))
            .stdin(Stdio::null())
            .current_dir(directory)
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(
            without_digests(&without_seconds(&without_times(&printed))),
            without_digests(&without_seconds(&without_times(&expected))),
            "$ {command}"
        );
    }
}

#[test]
fn readme_sessions_match() {
    check("README.md");
}

#[test]
fn guide_sessions_match() {
    check("docs/guide.md");
}

#[test]
fn chat_sessions_match() {
    check("docs/chat.md");
}

#[test]
fn code_skills_sessions_match() {
    check("docs/code-skills.md");
}

/// In a copy: results are written.
#[test]
fn evals_sessions_match() {
    let project = TestProject::copy_of("examples/skills");
    check_in("docs/evals.md", project.root());
}
