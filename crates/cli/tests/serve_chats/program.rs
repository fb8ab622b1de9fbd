//! The program as a whole.

use prowess_testing::model::{ScriptedModel, Step, Wire, call};
use serde_json::{Value, json};

use crate::server::{Server, configure, find};
use crate::support::TestProject;

fn project() -> TestProject {
    let project = TestProject::new();
    project
        .write(
            ".agents/skills/haiku/SKILL.md",
            "---\nname: haiku\ndescription: Writes haiku about the weather\n---\nFive, seven, five.\n",
        )
        .write(".git/HEAD", "ref: refs/heads/main\n");
    project
}

#[test]
fn ch1_without_a_model_the_demo_model_answers() {
    let project = project();
    let server = Server::start(&project, &[]);
    let model = server.get("/api/model");
    assert_eq!(
        (&model["name"], &model["demo"]),
        (&json!("demo"), &json!(true))
    );
    assert!(model["hint"].as_str().unwrap().contains("prowess.toml"));
    let events: Vec<Value> = server.say(&server.chat(), "a haiku, please").collect();
    assert_eq!(find(&events, "tool-started")["skill"], "haiku");
    let text = find(&events, "done")["text"].as_str().unwrap();
    assert!(text.contains("Five, seven, five."), "{text}");
}

#[test]
fn ch1_an_invalid_model_leaves_the_skills() {
    let project = project();
    project.write(
        "home/.config/prowess/prowess.toml",
        "[model]\nname = \"x\"\n",
    );
    let server = Server::start(&project, &[]);
    let model = server.get("/api/model");
    assert_eq!(model["name"], Value::Null);
    assert!(
        model["hint"]
            .as_str()
            .unwrap()
            .starts_with("missing provider")
    );
    let events: Vec<Value> = server.say(&server.chat(), "a haiku, please").collect();
    let failed = find(&events, "failed")["reason"].as_str().unwrap();
    assert!(failed.starts_with("missing provider"), "{failed}");
    assert_eq!(find(&events, "turn-finished")["discarded"], true);
    assert_eq!(
        server.get("/api/skills?query=haiku")["skills"][0]["id"],
        "haiku"
    );
}

/// The events are those of `prowess chat --json`, with the number of the turn.
#[test]
fn ch5_events_have_one_form() {
    let steps = || {
        [
            call("load_skill", &json!({"id": "haiku"})),
            Step::Say("Rain falls."),
        ]
    };
    let plain = |event: &Value| {
        let mut event = event.clone();
        for key in ["turn", "duration_ms"] {
            event.as_object_mut().unwrap().remove(key);
        }
        // The two prompts differ in a few words.
        let is_usage = event["type"] == "usage";
        if is_usage { json!("usage") } else { event }
    };
    let (project, model) = (project(), ScriptedModel::start(Wire::OpenAi, steps()));
    configure(&project, &model);
    let printed = project
        .command(&["chat", "--json", "-p", "a haiku"])
        .env("OPENAI_API_KEY", "k")
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let lines = printed
        .lines()
        .map(|it| serde_json::from_str::<Value>(it).unwrap());
    let printed: Vec<Value> = lines
        .filter(|it| it["type"] != "chat")
        .map(|it| plain(&it))
        .collect();
    let model = ScriptedModel::start(Wire::OpenAi, steps());
    configure(&project, &model);
    let server = Server::start(&project, &[]);
    let own = ["turn-started", "user-message", "turn-finished"];
    let streamed: Vec<Value> = server
        .say(&server.chat(), "a haiku")
        .filter(|it| !own.contains(&it["type"].as_str().unwrap()))
        .map(|it| plain(&it))
        .collect();
    assert!(printed.len() > 5, "{printed:?}");
    assert_eq!(streamed, printed);
}

#[test]
fn ch11_the_option_cancels_turns_without_clients() {
    let project = project();
    let model = ScriptedModel::start(Wire::OpenAi, [Step::Hang("Rain")]);
    configure(&project, &model);
    let server = Server::start(&project, &["--on-disconnect", "cancel"]);
    let chat = server.chat();
    let mut events = server.say(&chat, "a haiku");
    events.until("text");
    model.wait_for_hang();
    drop(events);
    while server.get(&chat)["state"] != "idle" {
        std::thread::yield_now();
    }
    assert_eq!(server.get(&chat)["entries"][1]["cut"], "cancelled");
}

#[test]
fn ch14_a_chat_continues_after_a_restart_and_in_the_terminal() {
    let project = project();
    let steps = ["one", "two", "three"].map(Step::Say);
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    server.say(&chat, "first").until("turn-finished");
    let last = server.get(&chat)["last_event"].as_str().unwrap().to_owned();
    server.terminate();

    let server = Server::start(&project, &[]);
    let events: Vec<Value> = server.events(&chat, &last).collect();
    assert_eq!(events[0]["type"], "reset");
    assert_eq!(server.get(&chat)["entries"].as_array().unwrap().len(), 2);
    server.say(&chat, "second").until("turn-finished");
    assert_eq!(model.last().messages().len(), 3);
    // The terminal has the same chats; the server notices that it changed one.
    let resumed = project
        .command(&["chat", "--resume", "-p", "third"])
        .env("OPENAI_API_KEY", "k")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(resumed.stdout).unwrap(), "three\n");
    let last = server.get(&chat)["last_event"].as_str().unwrap().to_owned();
    let mut others = server.events(&chat, &last);
    let events: Vec<Value> = server.say(&chat, "fourth").collect();
    assert_eq!(find(&events, "turn-finished")["discarded"], true);
    others.until("chat-changed");
    assert_eq!(server.get(&chat)["entries"].as_array().unwrap().len(), 6);
}

#[test]
fn ch17_a_signal_ends_streams_and_saves_turns() {
    let project = project();
    let steps = [Step::Say("Rain falls.")];
    let model = ScriptedModel::start(Wire::OpenAi, steps);
    configure(&project, &model);
    let server = Server::start(&project, &[]);
    let chat = server.chat();
    server.say(&chat, "a haiku").until("turn-finished");
    let last = server.get(&chat)["last_event"].as_str().unwrap().to_owned();
    let mut idle = server.events(&chat, &last);
    let log = server.terminate();
    assert!(idle.next().is_none());
    assert!(
        !log.contains("s3cret") && !log.contains("panicked"),
        "{log}"
    );
    let saved = project.run(&["chat", "--list", "--json"]).json();
    assert_eq!(saved[0]["turns"], 1);
}

#[test]
fn ch2_a_read_only_server_has_no_chats() {
    let server = Server::start(&project(), &["--read-only"]);
    for (status, body) in [
        server.post("/api/chats", &json!({})),
        server.ask("GET", "/api/model", &Value::Null),
    ] {
        assert_eq!((status, &body["code"]), (403, &json!("read-only")));
    }
}
