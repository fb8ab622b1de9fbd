//! Secrets that are in the configuration, the environment and the headers of requests, and nowhere else.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use prowess_testing::model::{ScriptedModel, Step, Wire};
use prowess_testing::{ClosedPort, free_port};
use serde_json::Value;

use crate::server::{Server, body, status};
use crate::support::{Run, TestProject};

/// Every secret begins with it.
const CANARY: &str = "canary";
const TOKEN: &str = "canary-token-0123456789";
/// Everything that can be named, as loud as it gets.
const LOUD: &str = "trace,prowess=trace,hyper=trace,hyper_util=trace,h2=trace,reqwest=trace,rustls=trace,axum=trace,tower=trace,rmcp=trace,sqlx=trace,genai=trace,gix=trace,tokio=trace,r=trace,g=trace,s=trace";

/// A server that refuses every request, and the headers that it got.
fn refusing() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, seen) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let head: String = BufReader::new(&stream)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .map(|line| line + "\n")
                .collect();
            let _ = sender.send(head);
            let _ = stream.write_all(
                b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            );
        }
    });
    (port, seen)
}

fn configuration(refusing: u16, closed: u16, model: &str) -> String {
    let sources = [
        (
            "refused",
            format!("http://127.0.0.1:{refusing}/api"),
            "auth = { bearer = \"${SOURCE_TOKEN}\" }",
        ),
        (
            "literal",
            format!("http://127.0.0.1:{refusing}/other"),
            "auth = { bearer = \"canary-literal\" }",
        ),
        (
            "down",
            format!("http://user:canary-url@127.0.0.1:{closed}/api"),
            "",
        ),
    ];
    let sources = sources.map(|(name, url, auth)| {
        format!("[[skills.repositories]]\nname = \"{name}\"\ntype = \"http\"\nurl = \"{url}\"\nrefresh_seconds = 1\n{auth}\n")
    });
    let mcp = format!(
        "[[skills.repositories]]\nname = \"mcp\"\ntype = \"mcp\"\nurl = \"http://127.0.0.1:{refusing}/mcp\"\nauth = {{ bearer = \"canary-mcp\" }}\n"
    );
    let git = format!(
        "[[skills.repositories]]\nname = \"git\"\ntype = \"git\"\nurl = \"http://user:canary-git@127.0.0.1:{closed}/x.git\"\n"
    );
    let model = format!(
        "[model]\nprovider = \"local\"\nname = \"m\"\nbase_url = \"{model}\"\napi_key_env = \"MODEL_KEY\"\n"
    );
    format!("{model}\n{}{mcp}{git}", sources.concat())
}

fn secretly(command: &mut Command) -> &mut Command {
    command
        .env("RUST_LOG", LOUD)
        .env("SOURCE_TOKEN", "canary-source")
        .env("MODEL_KEY", "canary-model")
        .env("UNRELATED", "canary-environment")
        .env("PROWESS_TOKEN", TOKEN)
}

fn assert_clean(what: &str, text: &str) {
    let mut lines = text.lines();
    let found = lines.find(|line| line.to_lowercase().contains(CANARY));
    assert_eq!(found, None, "a secret in {what}");
}

/// No file below `directory` has a secret, but for the configuration.
fn assert_files_clean(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_files_clean(&path);
        } else if path.file_name().is_none_or(|name| name != "prowess.toml") {
            let bytes = fs::read(&path).unwrap();
            assert_clean(
                &path.display().to_string(),
                &String::from_utf8_lossy(&bytes),
            );
        }
    }
}

/// Every route: those that are written here, and those that the server's own description lists.
fn routes(server: &Server) -> Vec<(String, String)> {
    let known = [
        ("GET", "/"),
        ("GET", "/style.css"),
        ("GET", "/api/skills"),
        ("POST", "/api/skills"),
        ("GET", "/api/skills/a"),
        ("PUT", "/api/skills/a"),
        ("DELETE", "/api/skills/none"),
        ("GET", "/api/skills/a/files"),
        ("GET", "/api/skills/a/files/SKILL.md"),
        ("GET", "/api/skill-collections"),
        ("POST", "/api/sessions"),
        ("GET", "/api/sessions/none"),
        ("DELETE", "/api/sessions/none"),
        ("POST", "/api/sessions/none/turn"),
        ("POST", "/api/sessions/none/call"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("POST", "/mcp"),
        ("DELETE", "/mcp"),
        ("BREW", "/nothing"),
    ];
    let owned = |(method, path): (&str, &str)| (method.to_owned(), path.to_owned());
    let mut routes: Vec<_> = known.into_iter().map(owned).collect();
    let head = format!("GET /openapi.json HTTP/1.1\r\nAuthorization: Bearer {TOKEN}");
    let described = server.ask(&head, "");
    let described: Value = serde_json::from_str(body(&described)).unwrap_or_default();
    for (path, methods) in described["paths"].as_object().into_iter().flatten() {
        let filled: Vec<&str> = path
            .split('/')
            .map(|part| if part.starts_with('{') { "none" } else { part })
            .collect();
        for method in methods.as_object().into_iter().flatten().map(|it| it.0) {
            // A stream of events has no end.
            if !path.ends_with("/events")
                && ["get", "post", "put", "patch", "delete"].contains(&&**method)
            {
                routes.push((method.to_uppercase(), filled.join("/")));
            }
        }
    }
    routes
}

/// The events of a chat say that the model refuses the key, and not the key.
fn chat_with_refusing_model(server: &Server, json: &str) {
    let chat = server.ask(&format!("POST /api/chats {json}"), "{}");
    let chat: Value = serde_json::from_str(body(&chat)).unwrap();
    let id = chat["id"].as_str().unwrap();
    for place in ["messages", "ag-ui"] {
        let run = format!(
            r#"{{"threadId": "{id}", "runId": "1", "messages": [{{"role": "user", "content": "hello"}}]}}"#
        );
        let request = if place == "ag-ui" {
            &*run
        } else {
            r#"{"text": "hello"}"#
        };
        let head = format!("POST /api/chats/{id}/{place} {json}\r\nAccept: text/event-stream");
        let events = server.ask(&head, request);
        assert!(events.contains("rejected the key"), "{events}");
        assert_clean("the events of a chat", &events);
    }
}

#[test]
fn op6_secrets_are_in_no_log_answer_or_file() {
    let (refusing, seen) = refusing();
    let closed = free_port();
    let _closed = ClosedPort::new(closed);
    let refused = || {
        let body = "{\"error\": {\"message\": \"no\"}}".to_owned();
        Step::Status(401, Vec::new(), body)
    };
    let model = ScriptedModel::start(Wire::OpenAi, [refused(), refused(), refused()]);
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let text = configuration(refusing, closed, &model.url);
    project.write("home/.config/prowess/prowess.toml", text);
    // A stored token, so that there is a store.
    let created = project.run(&["token", "create", "laptop", "--json"]).json();
    let stored = created["token"].as_str().unwrap();

    let arguments = [
        "serve",
        "--json",
        "--bind",
        "127.0.0.1:0",
        "--log=json",
        "--refresh-seconds",
        "1",
    ];
    let server = Server::start(secretly(&mut project.command(&arguments)));
    assert_clean("the announcement", &server.ready.to_string());
    let mut answers = Vec::new();
    for (method, path) in routes(&server) {
        for token in [TOKEN, stored, "canary-wrong", ""] {
            let head = format!(
                "{method} {path}?query=canary-query&limit=canary HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\
                 Cookie: session=canary-cookie\r\nX-Api-Key: canary-header\r\nX-Request-Id: canary header\r\n\
                 Content-Type: application/json\r\nAccept: application/json, text/event-stream"
            );
            let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"canary-client","version":"1"}}}"#;
            let answer = server.ask(&head, request);
            assert_clean(&format!("the answer to {method} {path}"), &answer);
            answers.push(status(&answer));
        }
    }
    assert!(answers.contains(&200) && answers.contains(&401) && answers.contains(&404));
    // The contents of a session are a secret, too.
    let json =
        format!("HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json");
    let session = server.ask(&format!("POST /api/sessions {json}"), "{}");
    let session: Value = serde_json::from_str(body(&session)).unwrap();
    let id = session["id"].as_str().unwrap();
    for (last, request) in [
        ("turn", r#"{"message": "canary-message"}"#),
        (
            "call",
            r#"{"tool": "canary-tool", "arguments": {"id": "canary-argument"}}"#,
        ),
        (
            "call",
            r#"{"tool": "load_skill", "arguments": {"id": "canary-argument"}}"#,
        ),
    ] {
        let answer = server.ask(&format!("POST /api/sessions/{id}/{last} {json}"), request);
        assert_eq!(status(&answer), 200, "{answer}");
    }
    chat_with_refusing_model(&server, &json);
    let lines = server.stop();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("source is not healthy")),
        "{lines:#?}"
    );
    assert_clean("the log of the server", &lines.join("\n"));
    // The secrets did reach those for whom they are.
    let heads = seen.try_iter().collect::<String>();
    for secret in ["canary-source", "canary-literal", "canary-mcp"] {
        assert!(heads.contains(secret), "{secret}\n{heads}");
    }

    for arguments in [
        &["chat", "-p", "hello"][..],
        &["list"],
        &["doctor"],
        &["config", "show"],
        &["search", "a"],
    ] {
        let run = Run::of(secretly(&mut project.command(arguments)).output().unwrap());
        assert_clean(
            &format!("{arguments:?}"),
            &format!("{}{}", run.stdout, run.stderr),
        );
    }
    let authorization = model
        .last()
        .header("authorization")
        .unwrap_or_default()
        .to_owned();
    assert!(authorization.contains("canary-model"), "{authorization}");
    assert_files_clean(&project.path("home"));
}
