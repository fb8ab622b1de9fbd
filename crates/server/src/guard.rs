//! Checks of every request, and headers of every response.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use hyper::body::Body as _;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

use crate::app::App;
use crate::error::{Code, Failure};
use crate::host::accept_origin;
use crate::limits::{ANSWER, CONNECTION};
use crate::observe::{ClientAddress, Exchange};
use crate::options::Credential;
use crate::rate_client::Client;
use crate::requester::{Requester, missing_scope};
use crate::scope::Scope;
use crate::{console, health, packages};

/// The target of requests in a log.
const REQUEST: &str = "prowess::request";

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

pub(crate) async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    // A call over MCP may wait for its user, and a package for the network.
    let is_slow = route == "/mcp" || route.starts_with("/api/packages/");
    let limit = if is_slow { CONNECTION } else { ANSWER };
    let request_id = request_id(request.headers());
    let peer = request.extensions().get::<ClientAddress>().map(|it| it.0);
    let client = peer.map(|peer| app.options().client(peer, request.headers()));
    let span = tracing::info_span!(target: REQUEST, "request", request_id);
    // A client of MCP may keep a stream open for as long as there is a server.
    let is_standing = route == "/mcp" && method == Method::GET;
    let token = request.headers().get(header::AUTHORIZATION).cloned();
    let credential = app.options().credential(request.headers());
    let requester = Requester::new(&credential);
    let is_known = requester.has_token();
    request.extensions_mut().insert(requester.clone());
    let is_mcp = route == "/mcp";
    let mut response = match refusal(&app, &request, client, &credential) {
        Some(refusal) => refusal,
        None if is_mcp
            && !app
                .mcp_sessions()
                .may_use(request.headers(), requester.token()) =>
        {
            Failure::new(Code::SessionNotFound, "unknown session: begin a new one").into_response()
        }
        None => match timeout(limit, next.run(request).instrument(span.clone())).await {
            Ok(response) => response,
            Err(_) => Failure::new(Code::Unavailable, "timed out").into_response(),
        },
    };
    if is_mcp {
        app.mcp_sessions()
            .note(response.headers(), requester.token());
    }
    if let Some(token) = token.filter(|_| is_known && is_stream(&response)) {
        response = while_valid(response, app.clone(), token);
    }
    if is_standing && response.status().is_success() {
        let shutdown = app.options().shutdown.begun();
        response =
            response.map(|body| Body::from_stream(body.into_data_stream().take_until(shutdown)));
    }
    set(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let took = began.elapsed();
    let status = response.status().as_u16();
    app.metrics().add(&method, route, status, took);
    let code: Option<Code> = response.extensions().get().copied();
    let bytes = response.body().size_hint().exact();
    // The query is not part of it: it can contain what a user typed.
    tracing::info!(
        target: REQUEST,
        parent: &span,
        client = client.map(|it| tracing::field::display(it.ip())),
        method = method.as_str(),
        path,
        status,
        error = code.map(Code::as_str),
        bytes,
        duration_ms = took.as_secs_f64() * 1e3,
    );
    if let Some(observe) = &app.options().observer.0 {
        observe(&Exchange {
            method,
            path,
            status,
            code,
            took,
            request_id,
            client,
            bytes,
        });
    }
    response
}

fn is_stream(response: &Response) -> bool {
    let media = response.headers().get(header::CONTENT_TYPE);
    media.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"))
}

/// Ends a stream whose token was revoked or has expired.
fn while_valid(response: Response, app: App, token: HeaderValue) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::AUTHORIZATION, token);
    response.map(|body| {
        let parts = body.into_data_stream().take_while(move |_| {
            let is_valid = app.options().token_scopes(&headers).is_some();
            std::future::ready(is_valid)
        });
        Body::from_stream(parts)
    })
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
fn refusal(
    app: &App,
    request: &Request,
    client: Option<SocketAddr>,
    credential: &Credential,
) -> Option<Response> {
    let options = app.options();
    let path = request.uri().path();
    let is_health = [health::PATH, health::READY].contains(&path);
    let address = client.map(|it| Client::address(it.ip()));
    let counted = match credential {
        Credential::Known(id, ..) => Some(Client::Token(id.clone())),
        Credential::Missing | Credential::Wrong => address.clone(),
    };
    if !is_health && let Some(wait) = counted.and_then(|it| app.rate().request(it, Instant::now()))
    {
        return Some(too_many("too many requests", wait));
    }
    let failure = |code, message: &str| Some(Failure::new(code, message).into_response());
    if !options.hosts.accept(request.uri(), request.headers()) {
        return failure(
            Code::ForbiddenHost,
            "unknown host name: `prowess serve --host NAME` accepts it",
        );
    }
    // MCP has a rule of its own, which lets in other pages of this machine.
    let is_mcp = path == "/mcp";
    if !is_mcp && !accept_origin(request.headers()) {
        let message = "requests from pages of other origins are not allowed";
        return failure(Code::ForbiddenOrigin, message);
    }
    // Whatever is not known to be harmless needs the token, be it there or not.
    if is_health || console::PATHS.contains(&path) {
        return None;
    }
    let needed = needed_scope(request);
    if options.read_only && needed != Scope::Read {
        return failure(
            Code::ReadOnly,
            "this server is read-only: it offers skills, sessions and MCP",
        );
    }
    match credential {
        Credential::Known(_, scopes) if scopes.allow(needed) => {
            // Trusting a project starts the programs that its file names.
            let starts = path == "/api/trust" && !request.method().is_safe();
            let lacks = starts && !scopes.allow(Scope::Approve);
            lacks.then(|| missing_scope(Scope::Approve).into_response())
        }
        // A wrong token is an error of the client, whatever others may do without one.
        Credential::Missing | Credential::Known(..)
            if options.anonymous_scopes().allow(needed)
                || options.is_for_everyone(request.method(), path) =>
        {
            None
        }
        Credential::Known(..) => Some(missing_scope(needed).into_response()),
        Credential::Wrong
            if let Some(wait) =
                address.and_then(|it| app.rate().wrong_token(it, Instant::now())) =>
        {
            Some(too_many("too many wrong tokens", wait))
        }
        _ => failure(
            Code::Unauthorised,
            "missing or invalid token: send `Authorization: Bearer TOKEN` (`prowess token create NAME` creates one)",
        ),
    }
}

/// Asks a client to wait.
fn too_many(message: &str, wait: Duration) -> Response {
    let mut response = Failure::new(Code::RateLimited, message).into_response();
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// The scope that a request needs. A session changes nothing but itself, and a check nothing at all.
fn needed_scope(request: &Request) -> Scope {
    let path = request.uri().path();
    // What a user says to a model is not for every reader of skills.
    if path == "/api/model" || is_at_or_below(path, "/api/chats") {
        return Scope::Chat;
    }
    if is_at_or_below(path, "/api/approvals") || is_at_or_below(path, "/api/evals") {
        return Scope::Chat;
    }
    // Whatever the user of the server states in files of their own, and what is installed.
    let is_state = path.starts_with("/api/skills/") && path.ends_with("/enabled");
    let is_change = request.method() == Method::PUT;
    if ["/api/config", "/api/trust", "/api/reload"].contains(&path)
        || is_at_or_below(path, "/api/packages")
        || (is_state && is_change)
    {
        return Scope::Admin;
    }
    if let Some(scope) = packages::path::needed_scope(request.method(), path) {
        return scope;
    }
    let is_session = path == "/api/sessions" || path.starts_with("/api/sessions/");
    if request.method().is_safe() || is_session || ["/mcp", "/api/check"].contains(&path) {
        Scope::Read
    } else {
        Scope::Write
    }
}

fn is_at_or_below(path: &str, root: &str) -> bool {
    let rest = path.strip_prefix(root);
    rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        // A page of ours has a policy of its own.
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
}
