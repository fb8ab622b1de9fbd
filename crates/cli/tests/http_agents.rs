//! The agents of `examples/http`: skills over HTTP in other languages.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use prowess_testing::model::{ScriptedModel, Step};
use prowess_testing::python_with;
use support::{TestProject, started};

/// Three messages: one with a tool call, one that only activates a skill, and the next.
fn converse(mut agent: Command) {
    let project = TestProject::copy_of("examples/skills");
    let serve = ["serve", "--json", "--listen", "127.0.0.1:0"];
    let mut command = project.command(&serve);
    let (_server, ready) = started(command.args(["--in", "examples/skills"]));
    let url = ready["url"].as_str().unwrap().trim_end_matches("/api");
    let load = vec![("load_skill", r#"{"id":"log-triage"}"#.to_owned())];
    let model = ScriptedModel::without_streams([
        Step::Call("", load),
        Step::Say("The disk is full."),
        Step::Say("Added: one thing."),
    ]);
    let mut agent = agent
        .env("PROWESS_URL", url)
        .env("OPENAI_BASE_URL", &model.url)
        .env("OPENAI_API_KEY", "k")
        .env("MODEL", "m")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = agent.stdin.take().unwrap();
    writeln!(input, "Why did it fail?\n/release-notes\nfor version 2").unwrap();
    drop(input);
    let output = agent.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        said,
        "The disk is full.\n/release-notes is active\nAdded: one thing.\n"
    );
    let last = model.last();
    assert!(last.system().contains("log-triage"), "{}", last.system());
    assert!(last.tools().iter().any(|(name, _)| name == "load_skill"));
    let results = last.results();
    assert!(results[0].contains("earliest line"), "{results:?}");
    let (_, message) = last.messages().pop().unwrap();
    assert!(
        message.contains("git log --no-merges") && message.ends_with("for version 2"),
        "{message}"
    );
}

#[test]
fn python_agent_converses() {
    let mut python = Command::new(python_with("http-venv", &["httpx==0.28.1"]));
    python.arg(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/http/agent.py"
    ));
    converse(python);
}

#[test]
fn node_agent_converses() {
    let mut node = Command::new("node");
    node.arg(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/http/agent.mjs"
    ));
    converse(node);
}
