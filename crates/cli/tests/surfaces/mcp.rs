//! Skills over MCP: `prowess mcp`, and `/mcp` of `prowess serve`.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use prowess_testing::ChildGuard;
use serde_json::{Value, json};

use crate::chat::descriptions;
use crate::http::names;
use crate::scene::Scene;
use crate::server::Server;
use crate::support::TestProject;
use crate::transcript::{Transcript, result};

const PROTOCOL: &str = "2025-11-25";

fn hello() -> Value {
    let client = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
}

/// What a client sees that makes the calls of a scene.
fn converse(scene: &Scene, ask: &mut dyn FnMut(&str, Value) -> Value) -> Transcript {
    let welcome = ask("initialize", hello());
    let tools = ask("tools/list", json!({}));
    let mut transcript = Transcript {
        prompt: welcome["instructions"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
            + &descriptions(&tools["tools"]),
        tools: names(&tools["tools"]),
        ..Transcript::default()
    };
    for turn in scene.turns() {
        for (tool, input) in turn.calls {
            let called = ask("tools/call", json!({"name": tool, "arguments": input}));
            let text = called["content"][0]["text"].as_str().unwrap_or_default();
            transcript.results.push(result(text));
        }
    }
    transcript
}

/// `prowess mcp`.
struct Client {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    count: u64,
    _server: ChildGuard,
}

impl Client {
    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.count += 1;
        let id = self.count;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        writeln!(self.input, "{request}").unwrap();
        loop {
            let line = self.lines.next().unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                if method == "initialize" {
                    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                    writeln!(self.input, "{done}").unwrap();
                }
                return answer(&message);
            }
        }
    }
}

/// The result; an error is one that has a text.
fn answer(message: &Value) -> Value {
    match message.get("result") {
        Some(result) => result.clone(),
        None => json!({"content": [{"text": message["error"].to_string()}], "tools": []}),
    }
}

pub(crate) fn stdio(project: &TestProject, scene: &Scene) -> Transcript {
    project.write("home/.config/prowess/prowess.toml", scene.configuration());
    let mut command = project.command(&["mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = ChildGuard(command.spawn().unwrap());
    let mut client = Client {
        input: server.stdin.take().unwrap(),
        lines: BufReader::new(server.stdout.take().unwrap()).lines(),
        count: 0,
        _server: server,
    };
    converse(scene, &mut |method, parameters| {
        client.ask(method, &parameters)
    })
}

pub(crate) fn http(project: &TestProject, scene: &Scene) -> Transcript {
    project.write("home/.config/prowess/prowess.toml", scene.configuration());
    let server = Server::start(project, &[]);
    let mut session = String::new();
    converse(scene, &mut |method, parameters| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        let (headers, message) = post(&server, &session, &body);
        if method == "initialize" {
            let id = headers
                .lines()
                .find_map(|line| line.strip_prefix("mcp-session-id: "));
            session = id
                .map(|id| format!("Mcp-Session-Id: {id}"))
                .unwrap_or_default();
            let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            post(&server, &session, &done);
        }
        answer(&message)
    })
}

fn post(server: &Server, session: &str, body: &Value) -> (String, Value) {
    let mut command = Command::new("curl");
    command
        .args([
            "-s",
            "-i",
            "-X",
            "POST",
            "-H",
            "Content-Type: application/json",
        ])
        .args(["-H", "Accept: application/json, text/event-stream"])
        .args(["-H", &format!("Authorization: Bearer {}", server.token)]);
    if !session.is_empty() {
        let version = format!("MCP-Protocol-Version: {PROTOCOL}");
        command.args(["-H", session, "-H", &version]);
    }
    let output = command
        .args(["--data", &body.to_string()])
        .arg(format!("http://127.0.0.1:{}/mcp", server.port))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let json = data.rfind(|data| data.starts_with('{')).unwrap_or(body);
    let head = head.lines().map(|line| match line.split_once(':') {
        Some((name, value)) => format!("{}:{value}\n", name.to_ascii_lowercase()),
        None => String::new(),
    });
    (
        head.collect(),
        serde_json::from_str(json).unwrap_or_default(),
    )
}
