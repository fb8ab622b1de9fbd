//! docs/process-protocol.md: the examples run, and every message and field of the protocol is on the page.
#![cfg(test)]

mod support;

use std::fs;

use prowess_testing::repository;
use support::TestProject;

fn page() -> String {
    fs::read_to_string(repository().join("docs/process-protocol.md")).unwrap()
}

/// The files of the page: a line with a path, an empty line, and a block.
fn example_files(page: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = page.lines().collect();
    let mut files = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let path = line.strip_prefix('`').and_then(|it| it.strip_suffix("`:"));
        if let Some(path) = path {
            assert!(lines[at + 2].starts_with("```"), "{path}");
            let block = lines[at + 3..].iter().take_while(|it| **it != "```");
            let block: Vec<&str> = block.copied().collect();
            files.push((path.to_owned(), block.join("\n") + "\n"));
        }
    }
    files
}

#[test]
fn cl88_examples_of_the_process_protocol_run() {
    let project = TestProject::new();
    project.write("README.md", "one two\nthree\n");
    let files = example_files(&page());
    assert_eq!(files.len(), 4);
    for (path, text) in files {
        project.write(&format!(".agents/skills/{path}"), text);
    }
    let check = project.run(&["check", ".agents/skills"]);
    assert_eq!(check.code, Some(0), "{}", check.snapshot());
    let run = |target: &str, skill: &str, argument: &str| {
        project.run(&["run", target, "--approve-skills", skill, "--arg", argument])
    };
    let count = run("word-count/count", "word-count", "path=README.md");
    assert_eq!(count.stdout, "3 words\n", "{}", count.snapshot());
    let missing = run("word-count/count", "word-count", "path=nope.md");
    assert_ne!(missing.code, Some(0), "{}", missing.snapshot());
    let shout = run("shout/shout", "shout", "text=hello");
    assert_eq!(shout.stdout, "HELLO\n", "{}", shout.snapshot());
}

#[test]
fn cl88_every_message_and_field_is_documented() {
    let page = page();
    let wire = fs::read_to_string(repository().join("crates/sdk/src/wire.rs")).unwrap();
    let mut checked = 0;
    for line in wire.lines().map(str::trim) {
        let method = line.strip_prefix("#[serde(rename = \"");
        let method = method.and_then(|it| it.strip_suffix("\")]"));
        let method = method.filter(|it| *it != "2.0");
        let is_name = |it: &str| it.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let field = line.strip_prefix("pub ").unwrap_or(line).split_once(": ");
        let field = field.filter(|(name, rest)| is_name(name) && rest.ends_with(','));
        for name in method.into_iter().chain(field.map(|(name, _)| name)) {
            // `request` only wraps the others.
            if name != "request" {
                assert!(
                    page.contains(&format!("`{name}`")),
                    "{name} is not documented"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}
