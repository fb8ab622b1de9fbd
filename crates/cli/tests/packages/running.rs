//! Row PK27: skills that are installed while a server runs.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use prowess_testing::ChildGuard;
use serde_json::{Value, json};

use crate::workshop::{FIRST, Workshop};

/// An MCP client of `prowess mcp`.
struct Client {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Requests so far.
    count: u64,
    /// Whether a change was reported since the last request.
    is_told: bool,
    _server: ChildGuard,
}

impl Client {
    fn start(workshop: &Workshop) -> Self {
        let mut command = workshop.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = ChildGuard(command.spawn().unwrap());
        let mut client = Self {
            input: server.stdin.take().unwrap(),
            lines: BufReader::new(server.stdout.take().unwrap()).lines(),
            count: 0,
            is_told: false,
            _server: server,
        };
        let information = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": information});
        client.ask("initialize", &hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let message: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
        self.is_told |= message["method"] == "notifications/tools/list_changed";
        message
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> String {
        self.count += 1;
        self.is_told = false;
        let id = self.count;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let message = self.next();
            if message["id"] == id {
                return message.to_string();
            }
        }
    }

    fn load(&mut self) -> String {
        let arguments = json!({"name": "load_skill", "arguments": {"id": "pdf"}});
        self.ask("tools/call", &arguments)
    }

    /// Loads the skill again after each report of a change, until it is as expected.
    fn wait(&mut self, is_expected: impl Fn(&str) -> bool) {
        while !is_expected(&self.load()) {
            while !self.is_told {
                self.next();
            }
        }
    }
}

#[test]
fn pk27_a_running_server_has_what_is_installed() {
    // The directory of skills does not exist when the server starts, in the project or in the home directory.
    for scope in ["project", "user"] {
        let workshop = Workshop::new();
        let url = workshop.url();
        let mut client = Client::start(&workshop);
        assert!(!client.load().contains("<skill id="));
        workshop.expect(0, &["add", &url, "--skill", "pdf", "--scope", scope]);
        client.wait(|it| it.contains("<skill id=") && it.contains("first"));
        let text = FIRST.replace("first", "later");
        workshop.write("repository/skills/pdf/SKILL.md", text);
        workshop.commit("later");
        workshop.expect(0, &["update"]);
        client.wait(|it| it.contains("<skill id=") && it.contains("later"));
        workshop.expect(0, &["remove", "pdf"]);
        client.wait(|it| !it.contains("<skill id="));
    }
}
