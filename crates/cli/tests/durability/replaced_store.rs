//! The file of a store is taken away under a server.

use std::fs;

use prowess_testing::model::{ScriptedModel, Step, Wire};
use serde_json::{Value, json};

use crate::server::{Server, configure, find};
use crate::support::TestProject;

const DIRECTORY: &str = "home/.local/share/prowess";
const FILE: &str = "home/.local/share/prowess/prowess.db";

fn ready(server: &Server) -> u16 {
    server.ask("GET", "/readyz", &Value::Null).0
}

#[test]
fn du15_nothing_is_acknowledged_that_went_to_a_lost_file() {
    let project = TestProject::new();
    let model = ScriptedModel::start(
        Wire::OpenAi,
        [Step::Say("one"), Step::Say("two"), Step::Say("three")],
    );
    configure(&project, &model);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    server.say(&chat, "first").until("turn-finished");
    assert_eq!(ready(&server), 200);
    // The directory is gone.
    let away = project.path("away");
    fs::rename(project.path(DIRECTORY), &away).unwrap();
    assert_eq!(ready(&server), 503);
    let (status, refused) = server.post("/api/chats", &json!({}));
    assert_eq!(status, 503, "{refused}");
    let message = refused["detail"].as_str().unwrap_or_default();
    assert!(message.contains("removed or replaced"), "{refused}");
    let messages = format!("{chat}/messages");
    let (status, refused) = server.post(&messages, &json!({"text": "second"}));
    assert_eq!(status, 503, "{refused}");
    // It is back, and so is the store.
    fs::rename(&away, project.path(DIRECTORY)).unwrap();
    assert_eq!(ready(&server), 200);
    // Another file with the same content is in its place.
    let copy = project.path("copy.db");
    fs::copy(project.path(FILE), &copy).unwrap();
    fs::rename(&copy, project.path(FILE)).unwrap();
    assert_eq!(ready(&server), 503);
    assert_eq!(server.post("/api/chats", &json!({})).0, 503);
    assert_eq!(server.post(&messages, &json!({"text": "third"})).0, 503);
}

/// The file is gone while the model answers: the turn is not said to be saved.
#[test]
fn du15_a_turn_that_went_to_a_lost_file_is_not_saved() {
    let project = TestProject::new();
    let model = ScriptedModel::start(Wire::OpenAi, [Step::Hang("half an answer")]);
    configure(&project, &model);
    let server = Server::start(&project, &["--drain-seconds", "1"]);
    let chat = server.chat();
    let mut events = server.say(&chat, "first");
    model.wait_for_hang();
    let away = project.path("away");
    fs::rename(project.path(DIRECTORY), &away).unwrap();
    let pid = rustix::process::Pid::from_child(&server.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let events = events.until("turn-finished");
    let reason = find(&events, "not-saved")["reason"].as_str().unwrap();
    assert!(reason.contains("removed or replaced"), "{reason}");
    let log = server.terminate();
    assert!(log.contains("unsaved-"), "{log}");
}
