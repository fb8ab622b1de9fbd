//! A server over streamable HTTP.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use prowess_config::Secret;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::digest::Digest;
use crate::limits::REQUEST_BYTES;
use crate::origin::{self, AllowedOrigin};
use crate::server::SkillsServer;
use crate::sessions::BoundedSessions;

/// Access control over HTTP.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Accepted host names, with or without a port: other names may be made to point here by an attacker. An empty list
    /// means the local names of this machine.
    pub hosts: Vec<String>,
    /// Allowed origins of web pages, such as `https://example.com:443` or `http://localhost:*`. Other clients send no
    /// origin and are not affected.
    pub origins: Vec<String>,
    /// The token that every request must have.
    pub token: Option<Secret>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        let origins = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        Self {
            hosts: Vec::new(),
            origins: origins.map(str::to_owned).to_vec(),
            token: None,
        }
    }
}

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The server at `/mcp`, for whatever listens.
///
/// Clients of 2025 have a session that ends when it is not used for a while, or when others need its place; those of
/// 2026 have none.
pub fn http_service(server: &SkillsServer, options: &HttpOptions) -> Router {
    let hosts = match options.hosts.as_slice() {
        [] => LOOPBACK.map(str::to_owned).to_vec(),
        hosts => hosts.to_vec(),
    };
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(&options.origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES);
    let server = server.clone();
    let connect = move || Ok(server.connect());
    let service = StreamableHttpService::new(connect, Arc::new(BoundedSessions::new()), config);
    let origins = options.origins.iter();
    let origins: Arc<[AllowedOrigin]> = origins
        .filter_map(|origin| AllowedOrigin::parse(origin))
        .collect();
    let router = Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(origins, refuse_other_pages));
    match &options.token {
        None => router,
        Some(token) => {
            let expected = Digest::of(token.expose().as_bytes());
            router.layer(from_fn_with_state(expected, guard))
        }
    }
}

/// Rejects requests of pages of other origins.
async fn refuse_other_pages(
    State(origins): State<Arc<[AllowedOrigin]>>,
    request: Request,
    next: Next,
) -> Response {
    if origin::accepts(&origins, request.headers()) {
        return next.run(request).await;
    }
    (StatusCode::FORBIDDEN, "forbidden origin").into_response()
}

/// Rejects requests without the token. Digests are compared, so that timing reveals nothing.
async fn guard(State(expected): State<Digest>, request: Request, next: Next) -> Response {
    let shown = bearer(request.headers()).map(|token| Digest::of(token.as_bytes()));
    if shown == Some(expected) {
        return next.run(request).await;
    }
    let challenge = [(WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, challenge, "missing bearer token").into_response()
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
