//! A server that lists the name of a skill of the user or the project.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use crate::support::{Run, TestProject};

/// A project and a user with a server that has `hello`, and `hello` in one more place.
fn with_server(local: &str) -> TestProject {
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    let text = |whose: &str| {
        format!("---\nname: hello\ndescription: Greets for {whose}\n---\nThe body of {whose}.\n")
    };
    project
        .write("home/server/hello/SKILL.md", text("the server"))
        .write(&format!("{local}/hello/SKILL.md"), text("the owner"))
        .write(
            "home/.config/prowess/prowess.toml",
            format!(
                "[[skills.repositories]]\nname = \"company\"\ntype = \"mcp\"\ncommand = {}\n",
                json!([
                    env!("CARGO_BIN_EXE_prowess"),
                    "mcp",
                    "--in",
                    project.path("home/server")
                ])
            ),
        );
    project
}

#[test]
fn q53_a_server_does_not_take_the_name_of_a_skill() {
    for local in ["home/.agents/skills", ".agents/skills"] {
        let project = with_server(local);
        let shown = |id: &str| project.run(&["show", id]).stdout;
        assert_eq!(
            shown("hello"),
            "<skill id=\"hello\">\nThe body of the owner.\n</skill>\n"
        );
        assert_eq!(
            shown("company:hello"),
            "<skill id=\"company:hello\">\nThe body of the server.\n</skill>\n"
        );

        let listed = project.run(&["list", "--json", "--all"]).json();
        let skills = listed["skills"].as_array().unwrap();
        let source = |id: &str| {
            let found = skills.iter().find(|skill| skill["id"] == id).unwrap();
            found["source"].as_str().unwrap().to_owned()
        };
        assert_eq!(source("company:hello"), "company");
        assert!(source("hello").ends_with(".agents/skills"));
        assert_eq!(listed["labelled"][0]["id"], "company:hello");
        assert_eq!(listed["labelled"][0]["source"], "company");
        assert_eq!(listed["labelled"][0]["other"]["id"], "hello");
        let note = project.run(&["list"]).stderr;
        assert!(
            note.contains("`company:hello`") && note.contains(".agents/skills/hello"),
            "{note}"
        );

        let prompt = project.run(&["prompt"]).stdout;
        let described = |id: &str, whose: &str| {
            let entry = format!("<skill id=\"{id}\">\n    <description>Greets for {whose}<");
            prompt.contains(&entry)
        };
        assert!(described("company:hello", "the server"), "{prompt}");
        assert!(described("hello", "the owner"), "{prompt}");

        let info = project.run(&["info", "hello", "--json"]).json();
        assert_eq!(info["labelled"], json!(["company:hello"]));
    }
}

#[test]
fn q53_a_client_of_our_server_reaches_both() {
    let project = with_server("home/.agents/skills");
    let call = |id: u8, skill: &str| {
        let params = json!({"name": "load_skill", "arguments": {"id": skill}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = [
        hello.to_string(),
        ready.to_string(),
        call(2, "hello"),
        call(3, "company:hello"),
    ];
    let mut child = project
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", lines.join("\n")).unwrap();
    drop(input);
    let run = Run::of(child.wait_with_output().unwrap());
    let answer = |id: u8| {
        let lines = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let found = lines
            .into_iter()
            .find(|it: &serde_json::Value| it["id"] == id);
        found.unwrap()["result"].to_string()
    };
    assert!(
        answer(2).contains("The body of the owner."),
        "{}",
        answer(2)
    );
    assert!(
        answer(3).contains("The body of the server."),
        "{}",
        answer(3)
    );
}
