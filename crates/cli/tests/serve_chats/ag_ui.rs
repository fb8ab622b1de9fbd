//! The client of the AG-UI protocol that its authors wrote, in Node.

use std::path::PathBuf;
use std::process::Command;

use prowess_testing::model::{ScriptedModel, Step, Wire};
use prowess_testing::{install, run};
use serde_json::{Value, json};

use crate::server::{Server, configure};
use crate::support::TestProject;

const PACKAGES: &[&str] = &["node@22.23.3", "@ag-ui/client@1.0.0"];

/// Runs the script beside this file with the installed client.
fn client(server: &Server, chat: &str, messages: &[&str]) -> Value {
    let directory: PathBuf = install("ag-ui-node", PACKAGES, |directory| {
        let flags = ["install", "--no-audit", "--no-fund", "--prefix"];
        run(Command::new("npm")
            .args(flags)
            .arg(directory)
            .args(PACKAGES));
    });
    let modules = directory.join("node_modules");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve_chats/ag_ui.cjs");
    let mut node = Command::new(modules.join("node/bin/node"));
    node.arg(script)
        .env("NODE_PATH", modules)
        .arg(format!("http://127.0.0.1:{}{chat}/ag-ui", server.port))
        .args(messages);
    serde_json::from_str(run(&mut node).lines().last().unwrap()).unwrap()
}

fn project(steps: impl IntoIterator<Item = Step>) -> (TestProject, ScriptedModel) {
    let project = TestProject::new();
    project
        .write(
            ".agents/skills/haiku/SKILL.md",
            "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n",
        )
        .write(".git/HEAD", "ref: refs/heads/main\n");
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    (project, model)
}

#[test]
fn ch15_the_client_of_the_protocol_reads_a_chat() {
    let load = vec![("load_skill", json!({"id": "haiku"}).to_string())];
    let (project, model) = project([
        Step::Call("Let me see. ", load),
        Step::Say("Rain falls."),
        Step::Say("Snow falls."),
    ]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let report = client(&server, &chat, &["a haiku", "another"]);
    let messages = report["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant"
        ],
        "{report:#}"
    );
    assert_eq!(messages[1]["content"], "Let me see. ");
    let call = &messages[1]["toolCalls"][0];
    assert_eq!(call["function"]["name"], "load_skill");
    assert_eq!(call["function"]["arguments"], "{\"id\":\"haiku\"}");
    assert_eq!(messages[2]["toolCallId"], call["id"]);
    let result = messages[2]["content"].as_str().unwrap();
    assert!(result.contains("Five, seven, five."), "{result}");
    assert_eq!(messages[3]["content"], "Rain falls.");
    assert_eq!(messages[5]["content"], "Snow falls.");
    let types: Vec<&str> = report["types"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    let known: Vec<&str> = types.iter().copied().filter(|it| *it != "CUSTOM").collect();
    assert_eq!(
        known,
        [
            "RUN_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED",
        ]
    );
    let custom: Vec<&str> = report["custom"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    assert_eq!(custom, ["user-message", "skill-loaded", "notice", "usage"]);
    // The chat has the whole conversation, which the client need not send again.
    assert_eq!(model.last().messages().len(), 6);
    assert_eq!(server.get(&chat)["turns"], 2);
}

#[test]
fn ch15_a_failure_is_an_error_of_the_run() {
    let failure = Step::Status(401, Vec::new(), json!({"error": "no"}).to_string());
    let (project, _model) = project([failure]);
    let server = Server::start(&project, &[]);
    let report = client(&server, &server.chat(), &["a haiku"]);
    assert_eq!(
        report["types"][0].as_array().unwrap().last(),
        Some(&json!("RUN_ERROR"))
    );
}

#[test]
fn ch15_other_threads_and_empty_inputs_are_refused() {
    let (project, _model) = project([]);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    let id = chat.rsplit('/').next().unwrap();
    let path = format!("{chat}/ag-ui");
    let user = json!([{"id": "1", "role": "user", "content": "hello"}]);
    let agent = json!([{"id": "1", "role": "assistant", "content": "hello"}]);
    for input in [
        json!({"threadId": "other", "runId": "r", "messages": user}),
        json!({"threadId": id, "runId": "r", "messages": agent}),
        json!({"threadId": id, "runId": "r", "messages": []}),
        json!({"threadId": id, "messages": user}),
    ] {
        let (status, body) = server.post(&path, &input);
        assert_eq!((status, &body["code"]), (400, &json!("invalid-request")));
    }
    let input = json!({"threadId": "x", "runId": "r", "messages": user});
    assert_eq!(server.post("/api/chats/x/ag-ui", &input).0, 404);
}
