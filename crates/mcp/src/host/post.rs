//! A server over HTTP: one request for each message, to one origin, with a bound on what comes back.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_config::{HttpAuth, Url};
use prowess_core::SourceError;
use prowess_net::{BodyError, client_builder, read_body, secret_header};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;

use super::sse::Events;
use crate::limits::{ANSWER, CONNECT, MESSAGE_BYTES};

const SESSION: &str = "Mcp-Session-Id";
const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";
/// The header for the protocol version.
const MESSAGE_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// Messages over HTTP. There is no stream for notifications of the server: lists are refreshed periodically.
pub(super) struct Post {
    wire: Arc<Wire>,
    incoming: mpsc::UnboundedReceiver<ServerJsonRpcMessage>,
}

struct Wire {
    client: Client,
    /// Its name, for a log.
    host: String,
    url: String,
    agreed: Mutex<Agreed>,
    /// Set when the server forgot us: another greeting is needed.
    forgotten: Arc<AtomicBool>,
    outgoing: mpsc::UnboundedSender<ServerJsonRpcMessage>,
}

/// The response of the server to the initialization.
#[derive(Clone, Default)]
struct Agreed {
    session: Option<HeaderValue>,
    version: Option<String>,
}

impl Post {
    pub(super) fn new(url: &Url, auth: Option<&HttpAuth>) -> Result<Self, SourceError> {
        let unavailable = |reason: String| SourceError::Unavailable(reason);
        let headers = match auth {
            None => HeaderMap::new(),
            Some(auth) => {
                let (name, value) = auth.header();
                secret_header(name, &value).map_err(|error| unavailable(error.to_string()))?
            }
        };
        let server = reqwest::Url::parse(url.expose())
            .map_err(|error| unavailable(format!("invalid URL: {error}")))?;
        let client = client_builder(Some(&server))
            .default_headers(headers)
            .connect_timeout(CONNECT)
            .read_timeout(ANSWER)
            .build()
            .map_err(|error| unavailable(error.without_url().to_string()))?;
        let (outgoing, incoming) = mpsc::unbounded_channel();
        let wire = Wire {
            client,
            host: server.host_str().unwrap_or_default().to_owned(),
            url: url.expose().to_owned(),
            agreed: Mutex::default(),
            forgotten: Arc::default(),
            outgoing,
        };
        Ok(Self {
            wire: Arc::new(wire),
            incoming,
        })
    }

    /// Whether the server dropped the session.
    pub(super) fn forgotten(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wire.forgotten)
    }
}

impl Wire {
    fn agreed(&self) -> Agreed {
        self.agreed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn request(&self, message: &Value, agreed: &Agreed) -> RequestBuilder {
        let mut request = self.client.post(&self.url).body(message.to_string());
        request = request.header(CONTENT_TYPE, "application/json");
        request = request.header(ACCEPT, "application/json, text/event-stream");
        if let Some(session) = &agreed.session {
            request = request.header(SESSION, session);
        }
        let stated = message.pointer(MESSAGE_VERSION).and_then(Value::as_str);
        if let Some(version) = stated.or(agreed.version.as_deref()) {
            request = request.header(VERSION, version);
        }
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return request;
        };
        request = request.header(METHOD, method);
        let name = match method {
            "resources/read" => message.pointer("/params/uri"),
            _ => None,
        };
        match name.and_then(Value::as_str) {
            Some(name) => request.header(NAME, header_text(name)),
            None => request,
        }
    }

    async fn send(&self, message: ClientJsonRpcMessage) -> io::Result<()> {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let agreed = self.agreed();
        let request = self.request(&serde_json::to_value(&message)?, &agreed);
        let response = request.send().await;
        let status = response.as_ref().ok().map(|it| it.status().as_u16());
        tracing::debug!(host = self.host, status, "sent to an MCP server");
        let response = response.map_err(other)?;
        let Some(id) = id else {
            return Ok(());
        };
        let status = response.status();
        if status == StatusCode::NOT_FOUND && agreed.session.is_some() {
            self.forgotten.store(true, Ordering::Relaxed);
        }
        if !status.is_success() {
            self.refused(status, response, id).await;
            return Ok(());
        }
        if let Some(session) = response.headers().get(SESSION) {
            let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            agreed.session = Some(session.clone());
        }
        let is = |kind: &str| {
            let found = response.headers().get(CONTENT_TYPE);
            found.is_some_and(|found| found.as_bytes().starts_with(kind.as_bytes()))
        };
        if is("text/event-stream") {
            self.events(response, &id).await
        } else {
            let body = body(response).await?;
            let message = serde_json::from_slice(&body)?;
            self.hand_on(message);
            Ok(())
        }
    }

    /// Reads events until the response arrives; a server need not close the stream.
    async fn events(&self, mut response: Response, id: &RequestId) -> io::Result<()> {
        let mut events = Events::default();
        while let Some(chunk) = response.chunk().await.map_err(other)? {
            let found = events.take(&chunk);
            for data in found.map_err(|_| io::Error::other("event too long"))? {
                let Ok(message) = serde_json::from_slice::<ServerJsonRpcMessage>(&data) else {
                    continue;
                };
                let answers = match &message {
                    ServerJsonRpcMessage::Response(answer) => answer.id == *id,
                    ServerJsonRpcMessage::Error(answer) => answer.id.as_ref() == Some(id),
                    _ => false,
                };
                self.hand_on(message);
                if answers {
                    return Ok(());
                }
            }
        }
        Err(io::Error::other(
            "the server closed the stream without a response",
        ))
    }

    fn hand_on(&self, message: ServerJsonRpcMessage) {
        if let ServerJsonRpcMessage::Response(answer) = &message
            && let ServerResult::InitializeResult(greeting) = &answer.result
        {
            let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            agreed.version = Some(greeting.protocol_version.to_string());
        }
        // The receiver may be dropped.
        let _ = self.outgoing.send(message);
    }

    /// Turns a refusal into the answer of the request: its own words if it has some, else its status.
    async fn refused(&self, status: StatusCode, response: Response, id: RequestId) {
        let body = body(response).await.unwrap_or_default();
        let refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if !refused
            && let Ok(ServerJsonRpcMessage::Error(mut error)) = serde_json::from_slice(&body)
        {
            error.id = Some(id);
            self.hand_on(ServerJsonRpcMessage::Error(error));
            return;
        }
        // An older server does not know the method and responds in its own way.
        let code = if status.is_client_error() && !refused {
            ErrorCode::METHOD_NOT_FOUND
        } else {
            ErrorCode::INTERNAL_ERROR
        };
        let message = format!("the server returned status {}", status.as_u16());
        let error = ErrorData::new(code, message, None);
        self.hand_on(ServerJsonRpcMessage::error(error, Some(id)));
    }
}

fn other(error: reqwest::Error) -> io::Error {
    io::Error::other(error.without_url())
}

async fn body(response: Response) -> io::Result<Vec<u8>> {
    let body = read_body(response, MESSAGE_BYTES).await;
    body.map_err(|error| match error {
        BodyError::Failed(error) => other(error),
        error @ BodyError::TooLarge(_) => io::Error::other(error),
    })
}

/// A text as a header can carry it.
fn header_text(text: &str) -> String {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if plain && text.trim() == text && !text.starts_with("=?base64?") {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
    }
}

impl Transport<RoleClient> for Post {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let wire = Arc::clone(&self.wire);
        async move { wire.send(message).await }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        let agreed = self.wire.agreed();
        if let Some(session) = agreed.session {
            let request = self
                .wire
                .client
                .delete(&self.wire.url)
                .header(SESSION, session);
            let version = agreed.version.unwrap_or_default();
            // Servers forget sessions anyway.
            let _ = request.header(VERSION, version).send().await;
        }
        Ok(())
    }
}
