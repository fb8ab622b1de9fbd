//! `prowess serve` with a scripted model, and a client of its chats.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use prowess_testing::ChildGuard;
use prowess_testing::model::{KEY, ScriptedModel};
use serde_json::{Value, json};

use crate::support::TestProject;

/// The token of the environment.
pub(crate) const TOKEN: &str = "s3cret-s3cret-s3cret";

pub(crate) struct Server {
    pub(crate) child: ChildGuard,
    pub(crate) port: u16,
    /// The token that requests have: that of the console.
    pub(crate) token: String,
    log: Option<thread::JoinHandle<String>>,
}

/// Configures the model of the user.
pub(crate) fn configure(project: &TestProject, model: &ScriptedModel) {
    let (provider, url) = (model.provider_name(), &model.url);
    project.write(
        "home/.config/prowess/prowess.toml",
        format!(
            "[model]\nprovider = \"{provider}\"\nname = \"scripted-1\"\nbase_url = \"{url}\"\n"
        ),
    );
}

impl Server {
    pub(crate) fn start(project: &TestProject, arguments: &[&str]) -> Self {
        Self::start_in(project, ".", arguments)
    }

    /// Starts a server in a directory of the project.
    pub(crate) fn start_in(project: &TestProject, directory: &str, arguments: &[&str]) -> Self {
        let words = [&["serve", "--json", "--bind", "127.0.0.1:0"], arguments].concat();
        let mut child = project
            .command(&words)
            .current_dir(project.path(directory))
            .env("PROWESS_TOKEN", TOKEN)
            .env("OPENAI_API_KEY", KEY)
            .env("TMPDIR", project.create("tmp").path("tmp"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = child.stderr.take().unwrap();
        let log = thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let mut ready = Vec::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_until(b'}', &mut ready).unwrap();
        let ready: Value = serde_json::from_slice(&ready).unwrap();
        let url = ready["url"].as_str().unwrap();
        let console = ready["console"].as_str().unwrap();
        let token = console.split_once("#token=");
        let token = token.map_or(TOKEN, |(_, token)| token);
        Self {
            child: ChildGuard(child),
            port: url.split([':', '/']).nth(4).unwrap().parse().unwrap(),
            token: token.to_owned(),
            log: Some(log),
        }
    }

    /// Asks the server to stop, and returns its log.
    pub(crate) fn terminate(mut self) -> String {
        let id = i32::try_from(self.child.id()).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
        self.log.take().unwrap().join().unwrap()
    }

    fn connect(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        body: &Value,
    ) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // Only a failing test waits for it.
        let deadline = Some(Duration::from_mins(2));
        stream.set_read_timeout(deadline).unwrap();
        let body = body.to_string();
        let (length, token) = (body.len(), &self.token);
        write!(
            stream,
            "{method} {target} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        BufReader::new(stream)
    }

    /// The status and the JSON of a response.
    pub(crate) fn ask(&self, method: &str, target: &str, body: &Value) -> (u16, Value) {
        let mut text = String::new();
        self.connect(method, target, "", body)
            .read_to_string(&mut text)
            .unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    pub(crate) fn get(&self, target: &str) -> Value {
        let (status, body) = self.ask("GET", target, &Value::Null);
        assert_eq!(status, 200, "{body}");
        body
    }

    pub(crate) fn post(&self, target: &str, body: &Value) -> (u16, Value) {
        self.ask("POST", target, body)
    }

    /// The path of a new chat.
    pub(crate) fn chat(&self) -> String {
        let (status, chat) = self.post("/api/chats", &json!({}));
        assert_eq!(status, 201, "{chat}");
        format!("/api/chats/{}", chat["id"].as_str().unwrap())
    }

    /// The stream of the turn of a message.
    pub(crate) fn say(&self, chat: &str, text: &str) -> Events {
        let body = json!({"text": text});
        let accept = "Accept: text/event-stream\r\n";
        Events(self.connect("POST", &format!("{chat}/messages"), accept, &body))
    }

    pub(crate) fn events(&self, chat: &str, after: &str) -> Events {
        let header = format!("Last-Event-ID: {after}\r\n");
        Events(self.connect("GET", &format!("{chat}/events"), &header, &Value::Null))
    }
}

/// The data of the events of a stream.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    /// The events up to the first of this type.
    pub(crate) fn until(&mut self, name: &str) -> Vec<Value> {
        let mut events = Vec::new();
        for event in self.by_ref() {
            let is_last = event["type"] == name;
            events.push(event);
            if is_last {
                return events;
            }
        }
        panic!("no {name}: {events:#?}");
    }
}

impl Iterator for Events {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }
}

pub(crate) fn find<'e>(events: &'e [Value], name: &str) -> &'e Value {
    let found = events.iter().find(|it| it["type"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {events:#?}"))
}
