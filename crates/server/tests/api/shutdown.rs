//! Stopping: what was sent is answered, and streams have time to end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Mutex;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::get as route;
use futures_util::stream;
use prowess_server::{Shutdown, router_with, serve_until};
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::*;

struct Stopping {
    address: SocketAddr,
    shutdown: Shutdown,
    /// Lets the stream end.
    release: Arc<Notify>,
    /// How many connections were waited for, when that was said.
    waited: Arc<Mutex<Vec<usize>>>,
    task: JoinHandle<usize>,
}

/// A server with streams: one that ends when it is released, and one that ends with the server.
async fn stopping(drain: Duration) -> Stopping {
    let shutdown = Shutdown::default();
    let release = Arc::<Notify>::default();
    let (held, ends) = (Arc::clone(&release), shutdown.clone());
    let parts = move |end: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>| {
        let first = stream::once(async { Ok::<_, Infallible>(Bytes::from("first")) });
        let last = stream::once(async {
            end.await;
            Ok(Bytes::from("last"))
        });
        Body::from_stream(stream::select(first, last))
    };
    let more = Router::new()
        .route(
            "/held",
            route(async move || parts(Box::pin(async move { held.notified().await }))),
        )
        .route("/ends", route(async move || parts(Box::pin(ends.begun()))));
    let skills = Skills::builder().source("served", some_skills()).build();
    let options = ApiOptions::default().shutdown(&shutdown);
    let router = router_with(skills.await.unwrap(), options, more);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let waited: Arc<Mutex<Vec<usize>>> = Arc::default();
    let (said, handle) = (Arc::clone(&waited), shutdown.clone());
    let task = tokio::spawn(async move {
        let waiting = move |count| said.lock().unwrap().push(count);
        serve_until(listener, router, &handle, drain, waiting).await
    });
    Stopping {
        address,
        shutdown,
        release,
        waited,
        task,
    }
}

async fn connect(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the text has come.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains(text) {
        let byte = stream.read_u8().await;
        bytes.push(byte.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&bytes))));
    }
    String::from_utf8(bytes).unwrap()
}

async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn op11_streams_end_and_readiness_is_withdrawn() {
    let server = stopping(Duration::from_mins(10)).await;
    let mut held = connect(server.address, "/held").await;
    read_until(&mut held, "first").await;
    let mut ends = connect(server.address, "/ends").await;
    read_until(&mut ends, "first").await;
    let mut ready = connect(server.address, "/readyz").await;
    read_until(&mut ready, "ready\n").await;
    server.shutdown.begin();
    // The connection is there already, so that a proxy learns of it.
    let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    ready.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(ready).await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("connection: close") && answer.ends_with("stopping\n"));
    // A stream that knows of the shutdown ends itself, the other one has time.
    assert!(rest(ends).await.contains("last"));
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // The wait is reported.
    while server.waited.lock().unwrap().last() != Some(&1) {
        tokio::task::yield_now().await;
    }
    server.release.notify_one();
    assert!(rest(held).await.contains("last"));
    assert_eq!(server.task.await.unwrap(), 0);
}

#[tokio::test]
async fn op11_streams_that_do_not_end_are_closed_after_a_while() {
    let server = stopping(Duration::from_millis(10)).await;
    let mut held = connect(server.address, "/held").await;
    read_until(&mut held, "first").await;
    server.shutdown.begin();
    assert_eq!(server.task.await.unwrap(), 1);
    assert!(!rest_of_broken(held).await.contains("last"));
}

async fn rest_of_broken(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn op10_what_was_sent_before_the_shutdown_is_answered() {
    for _ in 0..5 {
        let server = stopping(Duration::from_mins(10)).await;
        // Connections that had a request before, and new ones that the server has not even seen.
        let mut kept = Vec::new();
        for _ in 0..20 {
            let mut stream = connect(server.address, "/readyz").await;
            read_until(&mut stream, "ready\n").await;
            kept.push(stream);
        }
        let request = b"GET /api/skills/list HTTP/1.1\r\nhost: localhost\r\n\r\n";
        for stream in &mut kept {
            stream.write_all(request).await.unwrap();
        }
        for _ in 0..20 {
            // Without giving the server a turn: this thread is its only one.
            let stream = std::net::TcpStream::connect(server.address).unwrap();
            std::io::Write::write_all(&mut &stream, request).unwrap();
            stream.set_nonblocking(true).unwrap();
            kept.push(TcpStream::from_std(stream).unwrap());
        }
        server.shutdown.begin();
        for stream in kept {
            let answer = rest(stream).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            assert!(answer.contains("Do it well."), "{answer}");
        }
        assert_eq!(server.task.await.unwrap(), 0);
    }
}

/// A client of MCP holds a stream for as long as there is a server.
#[tokio::test]
async fn op11_standing_streams_of_mcp_end_at_once() {
    let (alive, _) = watch::channel(());
    let sender = alive.clone();
    let stand = async move || {
        let alive = sender.subscribe();
        Body::from_stream(stream::unfold(alive, |mut alive| async move {
            alive.changed().await.ok()?;
            Some((Ok::<_, Infallible>(Bytes::from("news")), alive))
        }))
    };
    let shutdown = Shutdown::default();
    let skills = Skills::builder().source("served", some_skills()).build();
    let options = ApiOptions::default().shutdown(&shutdown);
    let more = Router::new().route("/mcp", route(stand));
    let router = router_with(skills.await.unwrap(), options, more);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let handle = shutdown.clone();
    let task = tokio::spawn(async move {
        serve_until(listener, router, &handle, Duration::from_mins(10), |_| {}).await
    });
    let mut stream = connect(address, "/mcp").await;
    read_until(&mut stream, "\r\n\r\n").await;
    alive.send_replace(());
    read_until(&mut stream, "news").await;
    shutdown.begin();
    rest(stream).await;
    assert_eq!(task.await.unwrap(), 0);
}
