//! What a program with skills does, whatever it speaks to the model with.

use std::net::TcpListener;
use std::process::Command;

use prowess_testing::model::{ModelRequest, ScriptedModel, Step, call};
use serde_json::json;

const SKILLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../skills");
/// Of the description of a skill, and of its body.
const LISTED: &str = "Finds the first error that explains the others in a log.";
const BODY: &str = "Look for the earliest line that is not a consequence of another one.";

fn program(skills: &str, url: &str, messages: &[&str]) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command
        .args(messages)
        // A proxy would come between, and backtraces would be printed.
        .env_clear()
        .env("SKILLS", skills)
        .env("OPENAI_BASE_URL", url)
        .env("MODEL", "scripted-1")
        .env("OPENAI_API_KEY", "sk-test");
    command
}

/// Runs a program that is to fail: its complaint.
fn fail(mut program: Command) -> String {
    let output = program.output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(!complaint.contains("panicked"), "{complaint}");
    assert_eq!(output.stdout, b"");
    complaint
}

/// Runs the program to its good end: what it printed, and what the model was asked.
fn run(steps: Vec<Step>, messages: &[&str]) -> (String, Vec<ModelRequest>) {
    let expected = steps.len();
    let model = ScriptedModel::without_streams(steps);
    let output = program(SKILLS, &model.url, messages).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let seen = model.seen();
    assert_eq!(seen.len(), expected);
    for request in &seen {
        assert_eq!(request.body["model"], "scripted-1");
        assert!(request.head.starts_with("post /v1/chat/completions "));
        assert!(request.head.contains("authorization: bearer sk-test\r\n"));
        assert_eq!(
            request.tool_names(),
            ["browse_skills", "load_skill", "read_skill_file"]
        );
        let system = request.said("system").concat();
        assert_eq!(system.matches("<available_skills>").count(), 1, "{system}");
        assert_eq!(system.matches(LISTED).count(), 1, "{system}");
    }
    (String::from_utf8(output.stdout).unwrap(), seen)
}

fn load(id: &str) -> Step {
    call("load_skill", &json!({"id": id}))
}

#[test]
fn a_body_is_sent_once_it_was_loaded() {
    let steps = vec![
        load("log-triage"),
        Step::Say("Line 3."),
        Step::Say("Try again."),
    ];
    let (printed, seen) = run(steps, &["why did this fail?", "and now?"]);
    assert_eq!(printed, "Line 3.\nTry again.\n");
    let bodies = seen
        .iter()
        .map(|request| request.body.to_string().matches(BODY).count());
    assert_eq!(bodies.collect::<Vec<_>>(), [0, 1, 1]);
    assert!(seen[1].said("tool")[0].contains(BODY));
    assert_eq!(seen[2].said("user"), ["why did this fail?", "and now?"]);
    assert_eq!(seen[2].said("assistant"), ["", "Line 3."]);
}

#[test]
fn referenced_skill_is_in_the_first_request() {
    let (printed, seen) = run(vec![Step::Say("Line 3.")], &["/log-triage why?"]);
    assert_eq!(printed, "Line 3.\n");
    let said = seen[0].said("user");
    assert!(
        said[0].contains(BODY) && said[0].ends_with("\n\nwhy?"),
        "{said:?}"
    );
}

#[test]
fn a_skill_that_is_only_named_goes_out_with_the_next_message() {
    let (_, seen) = run(vec![Step::Say("Line 3.")], &["/log-triage", "why?"]);
    let said = seen[0].said("user");
    assert_eq!(said.len(), 1);
    assert!(
        said[0].contains(BODY) && said[0].ends_with("\n\nwhy?"),
        "{said:?}"
    );
}

#[test]
fn invalid_tool_calls_are_reported_to_the_model() {
    let steps = vec![
        load("log-triag"),
        call("open_skill", &json!({"id": "log-triage"})),
        call("load_skill", &json!({})),
        Step::Call(
            "",
            vec![
                ("load_skill", json!({"id": "log-triage"}).to_string()),
                (
                    "read_skill_file",
                    json!({"id": "pdf-forms", "path": "../../Cargo.toml"}).to_string(),
                ),
            ],
        ),
        Step::Say("Line 3."),
    ];
    let (printed, seen) = run(steps, &["why did this fail?"]);
    assert_eq!(printed, "Line 3.\n");
    let told = seen[4].said("tool");
    assert_eq!(told.len(), 5);
    for (told, expected) in told.iter().zip([
        "skill-not-found",
        "unknown-tool",
        "invalid-arguments",
        BODY,
        "invalid-path",
    ]) {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_server_may_do_without_a_key() {
    let model = ScriptedModel::without_streams([Step::Say("Line 3.")]);
    let mut program = program(SKILLS, &format!("{}/", model.url), &["why?"]);
    let output = program.env_remove("OPENAI_API_KEY").output().unwrap();
    assert_eq!(output.stdout, b"Line 3.\n");
    let head = model.last().head;
    assert!(head.starts_with("post /v1/chat/completions "));
}

#[test]
fn a_server_that_is_down_or_refuses_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let down = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let body = r#"{"error": {"message": "not today", "type": "server_error"}}"#;
    let refusal = Step::Status(500, Vec::new(), body.to_owned());
    let refuses = ScriptedModel::without_streams([refusal]).url;
    for (url, reason) in [(down, "error sending request"), (refuses, "500")] {
        let complaint = fail(program(SKILLS, &url, &["why did this fail?"]));
        let first = format!("Error: no answer from {url}\n");
        assert!(complaint.starts_with(&first), "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
    }
}

#[test]
fn a_model_that_never_stops_calling_tools_is_an_error() {
    let model = ScriptedModel::without_streams((0..20).map(|_| load("log-triage")));
    let complaint = fail(program(SKILLS, &model.url, &["why did this fail?"]));
    assert!(complaint.contains(" 20"), "{complaint}");
    assert_eq!(model.seen().len(), 20);
}

#[test]
fn a_place_without_skills_is_an_error() {
    let complaint = fail(program("nowhere", "http://127.0.0.1:1/v1", &["hello"]));
    assert_eq!(complaint, "Error: project: nowhere does not exist\n");
}
