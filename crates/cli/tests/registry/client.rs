//! A client that notices when an answer is cut off.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::server::DEADLINE;

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of a problem.
    pub(crate) fn problem(&self) -> String {
        let problem = self.json();
        assert!(
            self.head
                .to_lowercase()
                .contains("application/problem+json"),
            "{self:?}"
        );
        problem["code"].as_str().unwrap().to_owned()
    }

    fn of(bytes: &[u8]) -> io::Result<Self> {
        let cut_off = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
        let end = end.ok_or_else(cut_off)?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let body = bytes[end + 4..].to_vec();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().ok())?
        });
        if length.is_some_and(|length| body.len() != length) {
            return Err(cut_off());
        }
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        Ok(Self {
            status: status.ok_or_else(cut_off)?,
            head,
            body,
        })
    }
}

/// A user of a registry, with a token or without.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) token: Option<String>,
}

impl Client {
    /// Sends a request over a connection of its own.
    pub(crate) fn ask(
        &self,
        port: u16,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> io::Result<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(DEADLINE))?;
        let head = self.head(method, path, &format!("Content-Length: {}", body.len()));
        let sent = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body));
        let mut answer = Vec::new();
        // A server may answer before it has read everything, and close.
        let received = stream.read_to_end(&mut answer);
        if sent.is_err() && answer.is_empty() {
            sent?;
        }
        if answer.is_empty() {
            received?;
        }
        Answer::of(&answer)
    }

    /// The head of a request.
    pub(crate) fn head(&self, method: &str, path: &str, length: &str) -> String {
        let token = self.token.as_ref();
        let token = token.map(|it| format!("Authorization: Bearer {it}\r\n"));
        format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}{length}\r\n\r\n",
            token.unwrap_or_default()
        )
    }

    pub(crate) fn get(&self, port: u16, path: &str) -> io::Result<Answer> {
        self.ask(port, "GET", path, b"")
    }

    pub(crate) fn publish(&self, port: u16, version: &str, bytes: &[u8]) -> io::Result<Answer> {
        self.ask(port, "PUT", &path(version, ""), bytes)
    }
}

/// The path of a version, such as `pdf/1.0.0`, or of a part of it, such as `/manifest`.
pub(crate) fn path(version: &str, part: &str) -> String {
    format!("/api/v1/skills/{version}{part}")
}

/// Reads an answer from a connection that something else writes to.
pub(crate) fn read_answer(stream: &mut TcpStream) -> io::Result<Answer> {
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if answer.is_empty() => Err(error),
        _ => Answer::of(&answer),
    }
}
