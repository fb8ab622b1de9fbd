//! `prowess serve`: sessions and chats over HTTP.

use serde_json::{Value, json};

use crate::chat::{configure_with, descriptions, model, seen};
use crate::scene::Scene;
use crate::server::Server;
use crate::support::TestProject;
use crate::transcript::{Events, Transcript};

pub(crate) fn web_chat(project: &TestProject, scene: &Scene) -> Transcript {
    let model = model(scene);
    configure_with(project, scene, &model);
    let server = Server::start(project, &[]);
    let (status, chat) = server.post("/api/chats", &json!({"active": scene.preload}));
    if status != 201 {
        return Transcript {
            events: Events::refused(status, &chat),
            ..Transcript::default()
        };
    }
    let path = format!("/api/chats/{}", chat["id"].as_str().unwrap());
    let mut events = Events::default();
    for turn in scene.turns() {
        events.note(&server.say(&path, turn.say).until("turn-finished"));
    }
    Transcript {
        events,
        ..seen(&model.seen())
    }
}

pub(crate) fn session(project: &TestProject, scene: &Scene) -> Transcript {
    project.write("home/.config/prowess/prowess.toml", scene.configuration());
    let server = Server::start(project, &[]);
    let (status, session) = server.post("/api/sessions", &json!({"active": scene.preload}));
    if status != 201 {
        return Transcript {
            events: Events::refused(status, &session),
            ..Transcript::default()
        };
    }
    let path = format!("/api/sessions/{}", session["id"].as_str().unwrap());
    let mut transcript = Transcript {
        prompt: session["prompt"].as_str().unwrap().to_owned() + &descriptions(&session["tools"]),
        tools: names(&session["tools"]),
        ..Transcript::default()
    };
    for turn in scene.turns() {
        let (_, said) = server.post(&format!("{path}/turn"), &json!({"message": turn.say}));
        transcript.events.note(said["events"].as_array().unwrap());
        let content = said["content"].as_str().map(str::to_owned);
        transcript.messages.extend(content);
        for (tool, input) in turn.calls {
            let body = json!({"tool": tool, "arguments": input});
            let (_, called) = server.post(&format!("{path}/call"), &body);
            transcript.events.note(called["events"].as_array().unwrap());
            transcript.results.push(called["content"].clone());
        }
    }
    transcript
}

pub(crate) fn names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}
