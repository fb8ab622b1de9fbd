//! Every command that fails under `--json` prints one JSON error object, with the exit code that it has without `--json`.
#![cfg(test)]

mod support;

use serde_json::Value;
use support::{Run, TestProject};

/// Arguments without `--json`, the exit code, the code of the error, and a part of its message.
const FAILURES: &[(&[&str], i32, &str, &str)] = &[
    (
        &["-C", "nope", "list"],
        1,
        "failure",
        "cannot change to directory nope",
    ),
    (&["audit", "nope"], 1, "failure", "invalid target `nope`"),
    (
        &["browse", "--config", "nope.toml"],
        1,
        "failure",
        "nope.toml",
    ),
    (
        &["chat", "--delete", "nope"],
        1,
        "failure",
        "unknown chat `nope`",
    ),
    (
        &["config", "show", "--config", "bad.toml"],
        1,
        "failure",
        "bad.toml",
    ),
    (
        &["create", "Bad Name"],
        2,
        "usage",
        "invalid skill name `Bad Name`",
    ),
    (
        &["doctor", "--config", "bad.toml"],
        1,
        "failure",
        "bad.toml",
    ),
    (&["eval", "nope"], 1, "failure", "unknown skill `nope`"),
    (&["info", "nope"], 1, "failure", "nope"),
    (
        &["list", "--config", "nope.toml"],
        1,
        "failure",
        "nope.toml",
    ),
    (&["pack", ".git"], 1, "failure", "no skill in .git"),
    (
        &["permissions", "demo", "--revoke"],
        1,
        "failure",
        "no stored approvals of `demo`",
    ),
    (
        &["prompt", "--dialect", "nope"],
        1,
        "failure",
        "unknown dialect `nope`",
    ),
    (&["read", "demo", "../x"], 1, "failure", "../x"),
    (&["run", "nope/x"], 1, "failure", "unknown skill `nope`"),
    (
        &["search", "--config", "nope.toml", "x"],
        1,
        "failure",
        "nope.toml",
    ),
    (
        &["serve", "--listen", "0.0.0.0:0"],
        1,
        "failure",
        "cannot listen on 0.0.0.0:0 without a token",
    ),
    (&["show", "nope"], 1, "failure", "nope"),
    (&["test", ".git"], 1, "failure", "no skill in .git"),
    (
        &["trace", "--approve-skills", "demo"],
        4,
        "permission",
        "--approve-skills: `demo`",
    ),
    (&["trust", "--revoke"], 1, "failure", "no stored answer"),
    (&["store", "restore", "nope"], 1, "failure", "nope"),
    (&["token", "revoke", "nope"], 1, "failure", "nope"),
    (&["why", "nope"], 1, "failure", "nope"),
    (&["add", "./nope"], 1, "failure", "nope: No such file"),
    (&["install", "Nope"], 2, "usage", "invalid package `Nope`"),
    (
        &["remove", "nope"],
        1,
        "failure",
        "no skills were installed",
    ),
    (&["update"], 1, "failure", "no skills were installed"),
    (&["outdated"], 1, "failure", "no skills were installed"),
    (&["verify"], 1, "failure", "no skills were installed"),
    (&["sync"], 1, "failure", "prowess.lock does not exist"),
    (&["import"], 1, "failure", "nothing to import"),
    (&["publish", ".git"], 1, "failure", "no skill in .git"),
    (
        &["yank", "pdf@1.0.0", "--undo"],
        1,
        "failure",
        "no registry is configured",
    ),
    (
        &["registry", "owners", "pdf"],
        1,
        "failure",
        "no registry is configured",
    ),
    (&["login", "nope"], 2, "usage", "invalid registry URL"),
    (&["logout", "nope"], 2, "usage", "invalid registry URL"),
];

/// Commands with invalid arguments, among them those that print no JSON otherwise.
const INVALID_ARGUMENTS: &[&[&str]] = &[
    &["check", "--json", "--fix"],
    &["check", "--format", "json", "--nope"],
    &["completions", "--json"],
    &["list", "--format=json"],
    &["mcp", "--json"],
    &["show", "--json"],
];

fn new_project() -> TestProject {
    let project = TestProject::new();
    project.skill(".agents/skills/demo");
    project
        .write("bad.toml", "[skills\n")
        .write(".git/HEAD", "");
    project
}

fn run(project: &TestProject, arguments: &[&str]) -> Run {
    Run::of(project.command_as_typed(arguments).output().unwrap())
}

fn error_of(run: &Run) -> Value {
    assert_eq!(run.stderr, "");
    let mut document = run.json();
    assert_eq!(document.as_object().unwrap().len(), 1);
    document.get_mut("error").unwrap().take()
}

#[test]
fn failures_are_json_with_the_same_exit_code() {
    let project = new_project();
    for (arguments, exit, code, message) in FAILURES {
        let text = run(&project, arguments);
        assert_eq!((text.code, text.stdout.as_str()), (Some(*exit), ""));
        assert!(
            text.stderr.contains("error"),
            "{arguments:?}: {}",
            text.stderr
        );
        let json = run(&project, &[arguments, &["--json"][..]].concat());
        assert_eq!(json.code, Some(*exit), "{arguments:?}");
        let error = error_of(&json);
        assert_eq!(error["code"], *code, "{arguments:?}");
        let shown = error["message"].as_str().unwrap();
        assert!(shown.contains(message), "{arguments:?}: {shown}");
        for hint in error["hints"].as_array().unwrap() {
            let hint = hint.as_str().unwrap();
            assert!(text.stderr.contains(hint), "{arguments:?}: {hint}");
        }
    }
}

#[test]
fn invalid_arguments_are_json() {
    let project = new_project();
    for arguments in INVALID_ARGUMENTS {
        let run = run(&project, arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        let error = error_of(&run);
        assert_eq!(error["code"], "usage");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("invalid arguments: "), "{message}");
        let hints = error["hints"].to_string();
        assert!(hints.contains("usage: prowess"), "{hints}");
    }
    let after = run(&project, &["show", "nope", "--", "--json"]);
    assert_eq!(after.stdout, "", "`--json` after `--` is an argument");
}

#[test]
fn every_command_is_provoked() {
    let tables = FAILURES.iter().map(|row| row.0);
    let rows: Vec<&[&str]> = tables.chain(INVALID_ARGUMENTS.iter().copied()).collect();
    for command in prowess_cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(rows.iter().any(|row| row.contains(&name)), "{name}");
    }
}
