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
    let headers: Vec<(String, String)> = lines.map(header).collect();
    let body = &bytes[end + 4..];
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    Response {
        status: status.parse().unwrap(),
        body: if is_chunked {
            joined(body)
        } else {
            body.to_vec()
        },
        headers,
    }
}

/// The chunks of a body as one.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&chunks[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        body.extend_from_slice(&chunks[end + 2..][..length]);
        chunks = &chunks[end + 2 + length + 2..];
    }
    body
}
