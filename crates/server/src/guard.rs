//! Checks of every request, and headers of every response.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Body as _;
use tokio::time::timeout;

use crate::app::App;
use crate::error::{Code, Failure};
use crate::health;
use crate::limits::{ANSWER, CONNECTION};
use crate::observe::{ClientAddress, Exchange};
use crate::scope::Scope;

/// Headers of every response: revalidate before reuse, and allow only reading.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::CACHE_CONTROL, "no-cache"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("other", MatchedPath::as_str).to_owned();
    // A call over MCP may wait for its user.
    let limit = if route == "/mcp" { CONNECTION } else { ANSWER };
    let request_id = request_id(request.headers());
    let client = request.extensions().get::<ClientAddress>().map(|it| it.0);
    let mut response = match refusal(&app, &request) {
        Some(refusal) => refusal.into_response(),
        None => match timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Failure::new(Code::Unavailable, "timed out").into_response(),
        },
    };
    set(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let took = began.elapsed();
    let status = response.status().as_u16();
    app.metrics().add(&method, &route, status, took);
    if let Some(observe) = &app.options().observer.0 {
        observe(&Exchange {
            method,
            path,
            status,
            code: response.extensions().get().copied(),
            took,
            request_id,
            client,
            bytes: response.body().size_hint().exact(),
        });
    }
    response
}

/// The name of the header with the id of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id that a proxy gave to a request, or a new one.
fn request_id(headers: &HeaderMap) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let given = headers.get(REQUEST_ID).and_then(|it| it.to_str().ok());
    let plain = |it: &&str| {
        (1..=64).contains(&it.len())
            && it
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    given.filter(plain).map_or_else(
        || {
            format!(
                "{}-{}",
                std::process::id(),
                NUMBER.fetch_add(1, Ordering::Relaxed)
            )
        },
        str::to_owned,
    )
}

/// Why a request is not even looked at.
fn refusal(app: &App, request: &Request) -> Option<Failure> {
    let options = app.options();
    if !options.hosts.accept(request.uri(), request.headers()) {
        let message = "unknown host name";
        return Some(Failure::new(Code::ForbiddenHost, message));
    }
    // MCP has a rule of its own.
    let is_mcp = request.uri().path() == "/mcp";
    if !request.method().is_safe() && !is_mcp && !options.hosts.accept_origin(request.headers()) {
        let message = "requests from pages of other origins are not allowed";
        return Some(Failure::new(Code::ForbiddenOrigin, message));
    }
    // Whatever is not known to be harmless needs the token, be it there or not.
    let path = request.uri().path();
    if [health::PATH, health::READY].contains(&path) {
        return None;
    }
    let needed = needed_scope(request);
    match options.token_scopes(request.headers()) {
        Some(scopes) if scopes.allow(needed) => None,
        Some(_) => {
            let message = format!("the token needs the scope `{}`", needed.as_str());
            Some(Failure::new(Code::InsufficientScope, message))
        }
        None if options.anonymous_scopes().allow(needed) => None,
        None => Some(Failure::new(Code::Unauthorised, "missing or invalid token")),
    }
}

/// The scope that a request needs. A session changes nothing but itself.
fn needed_scope(request: &Request) -> Scope {
    let path = request.uri().path();
    // What a user says to a model is not for every reader of skills.
    let below_chats = path.strip_prefix("/api/chats");
    if path == "/api/model" || below_chats.is_some_and(|it| it.is_empty() || it.starts_with('/')) {
        return Scope::Chat;
    }
    let is_session = path == "/api/sessions" || path.starts_with("/api/sessions/");
    if request.method().is_safe() || is_session || path == "/mcp" {
        Scope::Read
    } else {
        Scope::Write
    }
}

fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
