//! One connection to a server: its requests and timeouts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use prowess_config::Mcp;
use prowess_core::SourceError;
use rmcp::model::{
    ClientRequest, CustomRequest, CustomResult, ProtocolVersion, ReadResourceRequest,
    ReadResourceRequestParams, ResourceContents, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, NotificationContext, RunningService,
    serve_client_with_lifecycle,
};
use rmcp::{ClientHandler, RoleClient, ServiceError};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::child::{Running, start};
use super::post::Post;
use crate::limits::{ANSWER, CONNECT, LISTED_PAGES, LISTED_SKILLS};
use crate::wire::{EXTENSION, SKILLS_LIST, SkillPage};

/// A server that was greeted and has skills.
pub(super) struct Client {
    service: RunningService<RoleClient, Listener>,
    forgotten: Arc<AtomicBool>,
    _running: Option<Running>,
}

/// Handles notifications that the list changed.
pub(super) struct Listener {
    changed: Arc<AtomicBool>,
}

impl ClientHandler for Listener {
    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Relaxed);
    }
}

/// Every entry that a server lists.
pub(super) struct Pages {
    pub(super) entries: Vec<Value>,
    /// How long the list is valid, if the server states it.
    pub(super) lifetime: Option<Duration>,
}

pub(super) fn unavailable(reason: impl Into<String>) -> SourceError {
    SourceError::Unavailable(reason.into())
}

impl Client {
    pub(super) async fn connect(mcp: &Mcp, changed: Arc<AtomicBool>) -> Result<Self, SourceError> {
        let listener = Listener { changed };
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        };
        let (greeting, forgotten, running) = match mcp {
            Mcp::Command {
                command,
                env,
                directory,
            } => {
                let (running, lines) = start(command, env, directory.as_deref())?;
                let greeting = serve_client_with_lifecycle(listener, lines, lifecycle);
                (
                    timeout(CONNECT, greeting).await,
                    Arc::default(),
                    Some(running),
                )
            }
            Mcp::Http { url, auth } => {
                let post = Post::new(url, auth.as_ref())?;
                let forgotten = post.forgotten();
                let greeting = serve_client_with_lifecycle(listener, post, lifecycle);
                (timeout(CONNECT, greeting).await, forgotten, None)
            }
        };
        let service = greeting
            .map_err(|_| unavailable("the server timed out"))?
            .map_err(|error| unavailable(greeting_problem(&error)))?;
        let client = Self {
            service,
            forgotten,
            _running: running,
        };
        if client.has_skills() {
            Ok(client)
        } else {
            Err(unavailable(format!(
                "the server does not offer skills (`{EXTENSION}`)"
            )))
        }
    }

    fn has_skills(&self) -> bool {
        let Some(server) = self.service.peer().peer_info() else {
            return false;
        };
        let extensions = server.capabilities.extensions.as_ref();
        extensions.is_some_and(|extensions| extensions.contains_key(EXTENSION))
    }

    /// Whether nothing more will come of this connection.
    pub(super) fn is_closed(&self) -> bool {
        self.forgotten.load(Ordering::Relaxed)
            || self.service.is_closed()
            || self.service.peer().is_transport_closed()
    }

    async fn ask(&self, request: ClientRequest) -> Result<ServerResult, SourceError> {
        let answer = timeout(ANSWER, self.service.peer().send_request(request)).await;
        let answer = answer.map_err(|_| unavailable("the server timed out"))?;
        answer.map_err(|error| match error {
            ServiceError::McpError(error) => {
                let message: String = error.message.chars().take(200).collect();
                unavailable(format!(
                    "the server returned error {}: {message}",
                    error.code.0
                ))
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                unavailable("the connection to the server was closed")
            }
            other => unavailable(format!("malformed response from the server: {other}")),
        })
    }

    /// The whole list, as long as it has an end.
    pub(super) async fn list(&self) -> Result<Pages, SourceError> {
        let mut pages = Pages {
            entries: Vec::new(),
            lifetime: None,
        };
        let mut seen = BTreeSet::new();
        let mut cursor: Option<String> = None;
        for _ in 0..LISTED_PAGES {
            let params = cursor
                .as_ref()
                .map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
            let request = CustomRequest::new(SKILLS_LIST, Some(params));
            let page = match self.ask(ClientRequest::CustomRequest(request)).await? {
                ServerResult::CustomResult(CustomResult(page)) => page,
                _ => Value::Null,
            };
            let page: SkillPage = serde_json::from_value(page)
                .map_err(|error| unavailable(format!("malformed list from the server: {error}")))?;
            pages.entries.extend(page.skills);
            if pages.entries.len() > LISTED_SKILLS {
                let message = format!("the server lists more than {LISTED_SKILLS} skills");
                return Err(unavailable(message));
            }
            let lifetime = page.ttl_ms.map(Duration::from_millis);
            pages.lifetime = pages.lifetime.into_iter().chain(lifetime).min();
            let Some(next) = page.next_cursor else {
                return Ok(pages);
            };
            if !seen.insert(next.clone()) {
                return Err(unavailable(
                    "malformed list from the server: a cursor is repeated",
                ));
            }
            cursor = Some(next);
        }
        Err(unavailable(format!(
            "the server lists more than {LISTED_PAGES} pages"
        )))
    }

    /// The content of `uri`. It is not verified yet.
    pub(super) async fn read(&self, uri: &str) -> Result<ResourceContents, SourceError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let answer = self
            .ask(ClientRequest::ReadResourceRequest(request))
            .await?;
        let contents = match answer {
            ServerResult::ReadResourceResult(result) => result.contents,
            _ => Vec::new(),
        };
        let mut contents = contents.into_iter();
        match (contents.next(), contents.next()) {
            (Some(content), None) => Ok(content),
            _ => Err(unavailable(
                "malformed response from the server: expected one file",
            )),
        }
    }
}

/// Why a server could not be greeted, in as many of its words as are good for anything.
fn greeting_problem(error: &ClientInitializeError) -> String {
    let text = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            return greeting_problem(fallback);
        }
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::TransportError { error, .. } => error.error.to_string(),
        other => other.to_string(),
    };
    let text: String = text.escape_debug().take(300).collect();
    format!("cannot initialize the connection: {text}")
}
