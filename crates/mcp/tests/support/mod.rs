//! What the tests share: skills, a client that says exactly what it is told, and ways to reach a server.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod http;
pub(crate) mod lying;

use std::path::{Path, PathBuf};

use prowess_core::{MemorySource, Scope, Skills};
use prowess_mcp::{ServerOptions, SkillsServer, serve_stdio};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::SkillPath;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\xff";

pub(crate) const PDF: &str = "---\nname: pdf\ndescription: Reads PDFs\nlicense: MIT\nallowed-tools: Bash(git:*) Read\n\
    metadata:\n  version: \"1.10\"\n  level: 3\n---\n# PDF\n\nSee references/FORMS.md.\n";

pub(crate) fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

/// A few skills of every kind.
pub(crate) fn source() -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    let pdf = source.add("pdf", PDF).unwrap();
    source.add_file(&pdf, path("references/FORMS.md"), "# Forms\n");
    source.add_file(&pdf, path("references/eu/VAT rates.md"), "# VAT – ü\n");
    source.add_file(&pdf, path("assets/logo.png"), PNG);
    source.add(
        "acme/billing/refunds",
        "---\nname: refunds\ndescription: Refunds customers\nargument-hint: \"[order]\"\n---\nRefund $ARGUMENTS.\n",
    );
    source.add(
        "deploy",
        "---\nname: deploy\ndescription: Deploys\ndisable-model-invocation: true\n---\nDeploy.\n",
    );
    source.add(
        "background",
        "---\nname: background\ndescription: Background\nuser-invocable: false\n---\nKnow this.\n",
    );
    source
}

pub(crate) async fn skills_of(source: MemorySource) -> Skills {
    Skills::builder()
        .source("mine", source)
        .build()
        .await
        .unwrap()
}

pub(crate) async fn server() -> SkillsServer {
    SkillsServer::new(skills_of(source()).await, ServerOptions::default())
}

pub(crate) async fn server_of(directory: &Path) -> SkillsServer {
    let source = FilesystemSource::new(directory, FilesystemOptions::new(Scope::Project));
    let skills = Skills::builder()
        .source("files", source)
        .build()
        .await
        .unwrap();
    SkillsServer::new(skills, ServerOptions::default())
}

/// Writes the skills of [`source`] into a directory, for servers that are other processes.
pub(crate) fn write_skills(root: &Path) {
    let write = |path: &str, bytes: &[u8]| prowess_testing::write(root.join(path), bytes);
    write("pdf/SKILL.md", PDF.as_bytes());
    write("pdf/references/FORMS.md", b"# Forms\n");
    write("pdf/references/eu/VAT rates.md", "# VAT – ü\n".as_bytes());
    write("pdf/assets/logo.png", PNG);
    write(
        "acme/billing/refunds/SKILL.md",
        b"---\nname: refunds\ndescription: Refunds customers\nargument-hint: \"[order]\"\n---\nRefund $ARGUMENTS.\n",
    );
}

/// The program that serves a directory; cargo builds it together with the tests.
pub(crate) fn example() -> PathBuf {
    prowess_testing::example("prowess-mcp", "serve")
}

/// Which revision a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Revision {
    /// A greeting, then requests.
    Greeted(&'static str),
    /// Every request says everything.
    Stateless,
}

/// A client over lines that says exactly what it is told.
pub(crate) struct Raw {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
    revision: Revision,
    next: u64,
    /// What the server said unasked.
    pub(crate) notifications: Vec<Value>,
}

impl Raw {
    pub(crate) fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            reader: BufReader::new(Box::new(reader)),
            writer: Box::new(writer),
            revision: Revision::Greeted("2025-11-25"),
            next: 0,
            notifications: Vec::new(),
        }
    }

    /// A client of a server in this process, not yet greeted.
    pub(crate) fn silent(server: &SkillsServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let server = server.clone();
        tokio::spawn(async move { serve_stdio(&server, reader, writer).await });
        let (reader, writer) = tokio::io::split(ours);
        Self::new(reader, writer)
    }

    /// A client of a server in this process.
    pub(crate) async fn connect(server: &SkillsServer, revision: Revision) -> Self {
        let mut client = Self::silent(server);
        client.greet(revision).await;
        client
    }

    pub(crate) async fn greet(&mut self, revision: Revision) -> Value {
        self.revision = revision;
        match revision {
            Revision::Greeted(version) => {
                let about = json!({"name": "test", "version": "1"});
                let params =
                    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": about});
                let answer = self.ask("initialize", params).await;
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                    .await;
                answer["result"].clone()
            }
            Revision::Stateless => self.ask("server/discover", json!({})).await["result"].clone(),
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &[u8]) {
        self.writer.write_all(line).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
        self.writer.flush().await.unwrap();
    }

    /// The next message; nothing when the server is gone.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).await.ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The whole answer to a request, error or not.
    pub(crate) async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if self.revision == Revision::Stateless && params.get("_meta").is_none() {
            params["_meta"] = meta();
        }
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        loop {
            let message = self.receive().await.expect("the server is gone");
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) async fn error(&mut self, method: &str, params: Value) -> i64 {
        let answer = self.ask(method, params).await;
        answer["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {answer}"))
    }

    /// Every skill of every page.
    pub(crate) async fn all_skills(&mut self) -> Vec<Value> {
        let mut skills = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.result("skills/list", params).await;
            skills.extend(page["skills"].as_array().unwrap().clone());
            match page["nextCursor"].as_str() {
                Some(next) => params = json!({"cursor": next}),
                None => return skills,
            }
        }
    }
}

/// What every request of 2026-07-28 carries.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

pub(crate) fn uris(items: &Value) -> Vec<&str> {
    items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["uri"].as_str().unwrap())
        .collect()
}
