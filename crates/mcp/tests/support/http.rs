//! Servers and requests over HTTP on this machine.

use std::net::SocketAddr;

use axum::Router;
use prowess_mcp::{HttpOptions, SkillsServer, http_service};
use serde_json::Value;

/// Listens as long as the test runs.
pub(crate) async fn listen(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// The `/mcp` of a server.
pub(crate) async fn serve(server: &SkillsServer, options: &HttpOptions) -> String {
    let address = listen(http_service(server, options)).await;
    format!("http://{address}/mcp")
}

/// An answer, all of it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) text: String,
}

impl Reply {
    /// The message, whether it came as JSON or as an event.
    pub(crate) fn message(&self) -> Value {
        let data = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let text = data.map(str::trim).rfind(|text| !text.is_empty());
        serde_json::from_str(text.unwrap_or(&self.text)).unwrap()
    }
}

/// Posts a message with the headers that every client sends, and more.
pub(crate) async fn post(url: &str, message: &Value, headers: &[(&str, &str)]) -> Reply {
    let client = prowess_net::client_builder(None)
        .no_proxy()
        .build()
        .unwrap();
    let mut request = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let session = response.headers().get("mcp-session-id");
    Reply {
        status: response.status().as_u16(),
        session: session.map(|session| session.to_str().unwrap().to_owned()),
        text: response.text().await.unwrap(),
    }
}
