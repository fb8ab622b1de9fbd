//! The least that our libraries can do to send a file.

use std::process::Command;

use axum::body::Body;
use axum::http::{Uri, header};
use futures_util::stream;
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use super::http::Server;

/// Set for the copy of this program that is the bare server.
const BARE: &str = "PROWESS_BENCH_BARE";
/// Bytes that are read at once.
const PART: usize = 256 * 1024;

pub(crate) fn is_wanted() -> bool {
    std::env::var_os(BARE).is_some()
}

pub(crate) fn start() -> Server {
    let mut command = Command::new(std::env::current_exe().unwrap());
    Server::start(command.env(BARE, "1"), "")
}

/// Sends files by their paths, until the process is killed.
pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        println!("{}", json!({ "url": url }));
        let router = axum::Router::new().fallback(send);
        axum::serve(listener, router).await.unwrap();
    });
}

async fn send(uri: Uri) -> ([(header::HeaderName, u64); 1], Body) {
    let file = tokio::fs::File::open(uri.path()).await.unwrap();
    let length = file.metadata().await.unwrap().len();
    let parts = stream::unfold(file, |mut file| async {
        let mut part = bytes::BytesMut::with_capacity(PART);
        file.read_buf(&mut part).await.ok().filter(|it| *it > 0)?;
        Some((Ok::<_, std::io::Error>(part.freeze()), file))
    });
    ([(header::CONTENT_LENGTH, length)], Body::from_stream(parts))
}
