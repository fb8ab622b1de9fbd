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
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("removed or replaced"), "{refused}");
    let events = server.say(&chat, "second").until("turn-finished");
    let known = events.iter().any(|event| event["type"] == "not-saved")
        || events.iter().any(|event| event["type"] == "failed");
    assert!(known, "{events:#?}");
    // It is back, and so is the store.
    fs::rename(&away, project.path(DIRECTORY)).unwrap();
    assert_eq!(ready(&server), 200);
    // Another file with the same content is in its place.
    let copy = project.path("copy.db");
    fs::copy(project.path(FILE), &copy).unwrap();
    fs::rename(&copy, project.path(FILE)).unwrap();
    assert_eq!(ready(&server), 503);
    assert_eq!(server.post("/api/chats", &json!({})).0, 503);
    let mut events = server.say(&chat, "third");
    let events = events.until("turn-finished");
    let end = find(&events, "turn-finished");
    let saved = end["discarded"] == false && events.iter().all(|event| event["type"] != "not-saved");
    assert!(!saved, "{events:#?}");
}
