//! A client that sends exactly what a test says.

use std::fmt::Write;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The stable word of an error.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }

    pub fn message(&self) -> String {
        self.json()["detail"].as_str().unwrap().to_owned()
    }
}

/// Asks for `target` with the host that a browser would state.
pub async fn get(address: SocketAddr, target: &str, headers: &[&str]) -> Response {
    ask(address, "GET", target, headers).await
}

pub async fn ask(address: SocketAddr, method: &str, target: &str, headers: &[&str]) -> Response {
    let mut request = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
    if !headers
        .iter()
        .any(|header| header.to_ascii_lowercase().starts_with("host:"))
    {
        let _ = write!(request, "host: {address}\r\n");
    }
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    send(address, request.as_bytes()).await
}

/// Sends a body.
pub async fn ask_with(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[&str],
    body: &[u8],
) -> Response {
    let mut request = format!(
        "{method} {target} HTTP/1.1\r\nconnection: close\r\nhost: {address}\r\ncontent-length: {}\r\n",
        body.len()
    );
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    send(address, &[request.as_bytes(), body].concat()).await
}

pub async fn send(address: SocketAddr, request: &[u8]) -> Response {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses a body need not read it.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    Response {
        status: status.parse().unwrap(),
        headers: lines.map(header).collect(),
        body: bytes[end + 4..].to_vec(),
    }
}
