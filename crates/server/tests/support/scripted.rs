//! A server that does what a test says, be it allowed or not.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// What to do about it.
pub enum Reply {
    /// Send these bytes, then hang up.
    Send(Vec<u8>),
    /// Send these bytes, then nothing more.
    Stall(Vec<u8>),
}

/// A complete answer.
pub fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    Reply::Send([head.as_bytes(), body].concat())
}

pub fn json(body: impl AsRef<[u8]>) -> Reply {
    answer("200 OK", "content-type: application/json\r\n", body)
}

pub fn missing() -> Reply {
    answer("404 Not Found", "", "")
}

/// A list of skills with these ids, and with collections, so that one request is enough.
pub fn list(ids: &[&str]) -> Reply {
    let entry = |id: &&str| {
        let name = id.rsplit('/').next().unwrap();
        format!(r#"{{"id":"{id}","name":"{name}","description":"Does {name}"}}"#)
    };
    let entries: Vec<String> = ids.iter().map(entry).collect();
    json(format!(
        r#"{{"skills":[{}],"collections":[]}}"#,
        entries.join(",")
    ))
}

type Script = dyn Fn(&Request) -> Reply + Send + Sync;

pub struct Scripted {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Scripted {
    pub async fn start(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, script)
    }

    pub fn on(
        listener: TcpListener,
        script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let connections: Arc<AtomicUsize> = Arc::default();
        let (log, count) = (Arc::clone(&seen), Arc::clone(&connections));
        let script: Arc<Script> = Arc::new(script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(exchange(stream, Arc::clone(&script), Arc::clone(&log)));
            }
        });
        Self {
            address,
            seen,
            connections,
            task,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked since the last time.
    pub fn seen(&self) -> Vec<Request> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    pub fn targets(&self) -> Vec<String> {
        let seen = self.seen();
        seen.iter()
            .map(|request| request.target().to_owned())
            .collect()
    }

    /// How often somebody connected, ever.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Goes away; the port is free then.
    pub async fn stop(self) -> SocketAddr {
        self.task.abort();
        let _ = self.task.await;
        self.address
    }
}

/// One request and its reply.
pub async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    script: Arc<Script>,
    log: Arc<Mutex<Vec<Request>>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.trim_end().lines();
    let line = lines.next().unwrap().to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let headers = lines.map(header).collect();
    let request = Request { line, headers };
    log.lock().unwrap().push(request.clone());
    match script(&request) {
        Reply::Send(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // Until the client has had enough.
            let _ = stream.read(&mut [0]).await;
        }
    }
}
