//! A server with chats, and a client that reads its streams.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use prowess_agent::{Agent, AgentOptions, Retry};
use prowess_core::{MemorySource, Scope as SkillScope, Skills};
use prowess_runtime::{ApprovalRequest, Approver, CommandApprovalRequest, ProtectedWriteRequest};
use prowess_server::{
    AcceptedToken, ApiOptions, ChatAgent, ChatHost, ChatModel, Chats, OnDisconnect, QuestionText,
    TokenTable, router_with, serve,
};
use prowess_store::{Store, StoreBackend};
use prowess_testing::TestDirectory;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::{Response, send};
use crate::model::{Gate, WordModel};

/// Long enough for a slow machine; only a failing test waits for it.
pub(crate) const DEADLINE: Duration = Duration::from_mins(2);

struct Host {
    store: Store,
    skills: Skills,
    model: WordModel,
    agents: Arc<AtomicUsize>,
}

#[async_trait]
impl ChatHost for Host {
    fn store(&self) -> &Store {
        &self.store
    }

    fn skills(&self) -> &Skills {
        &self.skills
    }

    fn model(&self) -> ChatModel {
        ChatModel {
            name: Some("words".to_owned()),
            demo: false,
            hint: None,
        }
    }

    async fn agent(&self, _: Arc<dyn Approver>) -> Result<ChatAgent, String> {
        self.agents.fetch_add(1, Ordering::SeqCst);
        let options = AgentOptions {
            retry: Retry {
                times: 0,
                ..Retry::default()
            },
            ..AgentOptions::default()
        };
        let agent = Agent::builder(Arc::new(self.model.clone()))
            .skills(self.skills.clone())
            .store(self.store.clone())
            .options(options)
            .build()
            .await;
        Ok(ChatAgent {
            agent: agent.map_err(|error| error.to_string())?,
            runtime: None,
        })
    }

    fn approval_text(&self, _: &ApprovalRequest<'_>) -> QuestionText {
        unreachable!("the skills have no code")
    }

    fn command_text(&self, _: &CommandApprovalRequest<'_>) -> QuestionText {
        unreachable!("the skills have no code")
    }

    fn write_text(&self, _: &ProtectedWriteRequest<'_>) -> QuestionText {
        unreachable!("the skills have no code")
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) chats: Chats,
    pub(crate) gate: Arc<Gate>,
    /// How many agents were built.
    pub(crate) agents: Arc<AtomicUsize>,
    /// Secrets of tokens with the scopes `chat`, `read` and `write`.
    pub(crate) tokens: [String; 3],
    pub(crate) table: TokenTable,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    directory: Option<TestDirectory>,
}

/// A token with an id, which is the same after a restart.
pub(crate) fn accepted(id: &str, scope: &str) -> (String, AcceptedToken) {
    let (secret, token) = AcceptedToken::generate(scope.parse().unwrap(), None).unwrap();
    let id = id.to_owned();
    (secret, AcceptedToken { id, ..token })
}

impl Server {
    pub(crate) async fn start() -> Self {
        let directory = TestDirectory::new();
        let mut server = Self::over(directory.root(), OnDisconnect::Finish).await;
        server.directory = Some(directory);
        server
    }

    /// A server over the store of a directory.
    pub(crate) async fn over(directory: &Path, on_disconnect: OnDisconnect) -> Self {
        let store = Store::open(StoreBackend::File(directory.join("prowess.db")))
            .await
            .unwrap();
        let mut source = MemorySource::new(SkillScope::Project);
        let text = "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n";
        source.add("haiku", text).unwrap();
        let skills = Skills::builder().source("s", source).build().await.unwrap();
        let model = WordModel::default();
        let gate = Arc::clone(&model.gate);
        let agents = Arc::<AtomicUsize>::default();
        let host = Host {
            store,
            skills: skills.clone(),
            model,
            agents: Arc::clone(&agents),
        };
        let chats = Chats::new(Arc::new(host), on_disconnect).unwrap();
        let made = ["chat", "read", "write"].map(|scope| accepted(scope, scope));
        let table = TokenTable::default();
        table.replace(made.iter().map(|(_, token)| token.clone()));
        let options = ApiOptions::default().tokens(table.clone());
        let router = router_with(skills, options, chats.routes());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(serve(listener, router, async {
            let _ = stopped.await;
        }));
        Self {
            address,
            chats,
            gate,
            agents,
            tokens: made.map(|(secret, _)| secret),
            table,
            stop,
            task,
            directory: None,
        }
    }

    pub(crate) async fn stop(self) {
        self.chats.close(Duration::ZERO).await;
        let _ = self.stop.send(());
        timeout(DEADLINE, self.task).await.unwrap().unwrap();
    }

    fn head(&self, method: &str, target: &str, version: &str, headers: &[&str]) -> String {
        let more: Vec<String> = headers.iter().map(|it| format!("{it}\r\n")).collect();
        let more = more.concat();
        let (address, token) = (self.address, &self.tokens[0]);
        format!(
            "{method} {target} HTTP/{version}\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n{more}"
        )
    }

    pub(crate) async fn get(&self, target: &str) -> Response {
        let head = self.head("GET", target, "1.1", &[]);
        send(self.address, format!("{head}\r\n").as_bytes()).await
    }

    pub(crate) async fn send(&self, method: &str, target: &str, body: &Value) -> Response {
        let head = self.head(method, target, "1.1", &["content-type: application/json"]);
        let body = body.to_string();
        let length = body.len();
        let request = format!("{head}content-length: {length}\r\n\r\n{body}");
        send(self.address, request.as_bytes()).await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Response {
        self.send("POST", target, body).await
    }

    /// The path of a new chat.
    pub(crate) async fn chat(&self) -> String {
        let created = self.post("/api/chats", &json!({})).await;
        assert_eq!(created.status, 201, "{}", created.text());
        created.header("location").unwrap().to_owned()
    }

    /// Sends a message; the id of the event before the turn.
    pub(crate) async fn say(&self, chat: &str, text: &str) -> String {
        let started = self
            .post(&format!("{chat}/messages"), &json!({"text": text}))
            .await;
        assert_eq!(started.status, 202, "{}", started.text());
        started.json()["after"].as_str().unwrap().to_owned()
    }

    /// The events of a chat after one.
    pub(crate) async fn events(&self, chat: &str, after: &str) -> EventStream {
        let header = format!("last-event-id: {after}");
        self.stream("GET", &format!("{chat}/events"), &[&header], None)
            .await
    }

    pub(crate) async fn stream(
        &self,
        method: &str,
        target: &str,
        headers: &[&str],
        body: Option<&Value>,
    ) -> EventStream {
        // A response to this version has no chunks.
        let head = self.head(method, target, "1.0", headers);
        let body = body.map(Value::to_string).unwrap_or_default();
        let length = body.len();
        let request = format!(
            "{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = timeout(DEADLINE, reader.read_line(&mut head))
                .await
                .unwrap();
            assert_ne!(read.unwrap(), 0, "{head}");
        }
        assert!(head.contains(" 200 OK"), "{head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        EventStream { reader }
    }

    /// The events of a finished turn.
    pub(crate) async fn turn(&self, chat: &str, text: &str) -> Vec<Event> {
        let after = self.say(chat, text).await;
        self.events(chat, &after).await.until("turn-finished").await
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

pub(crate) struct EventStream {
    reader: BufReader<TcpStream>,
}

impl EventStream {
    /// The next event; none at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        timeout(DEADLINE, self.read()).await.expect("an event")
    }

    async fn read(&mut self) -> Option<Event> {
        let (mut id, mut name, mut data) = (None, String::new(), None);
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).await.unwrap_or(0) == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = Some(value.to_owned()),
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("data", value)) => data = Some(serde_json::from_str(value).unwrap()),
                None if data.is_some() => break,
                _ => {}
            }
        }
        Some(Event {
            id,
            name,
            data: data.unwrap(),
        })
    }

    /// Waits for a sign of life; whether it came before an event.
    pub(crate) async fn heartbeat(&mut self) -> bool {
        let mut line = String::new();
        while !matches!(line.trim_end(), ":") {
            line.clear();
            self.reader.read_line(&mut line).await.unwrap();
            if line.is_empty() || line.starts_with("data") {
                return false;
            }
        }
        true
    }

    /// The events up to one with this name.
    pub(crate) async fn until(&mut self, name: &str) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let is_last = event.name == name;
            events.push(event);
            if is_last {
                return events;
            }
        }
        panic!("no {name}: {events:#?}");
    }

    /// All further events.
    pub(crate) async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

pub(crate) fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|it| it.name.as_str()).collect()
}

/// The text of an answer.
pub(crate) fn answer(events: &[Event]) -> String {
    let text = events.iter().filter(|it| it.name == "text");
    text.map(|it| it.data["delta"].as_str().unwrap()).collect()
}
