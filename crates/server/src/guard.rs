//! Checks of every request, and headers of every response.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::app::App;
use crate::error::{Code, Failure};
use crate::health;
use crate::limits::ANSWER;
use crate::observe::Exchange;

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
    let mut response = match refusal(&app, &request) {
        Some(refusal) => refusal.into_response(),
        None => match timeout(ANSWER, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Failure::new(Code::Unavailable, "timed out").into_response(),
        },
    };
    set(response.headers_mut());
    if let Some(observe) = &app.options().observer.0 {
        observe(&Exchange {
            method,
            path,
            status: response.status().as_u16(),
            code: response.extensions().get().copied(),
            took: began.elapsed(),
        });
    }
    response
}

/// Why a request is not even looked at.
fn refusal(app: &App, request: &Request) -> Option<Failure> {
    let options = app.options();
    if !options.hosts.accept(request.uri(), request.headers()) {
        let message = "unknown host name";
        return Some(Failure::new(Code::ForbiddenHost, message));
    }
    if !request.method().is_safe() && !options.hosts.accept_origin(request.headers()) {
        let message = "requests from pages of other origins are not allowed";
        return Some(Failure::new(Code::ForbiddenOrigin, message));
    }
    // Whatever is not known to be harmless needs the token, be it there or not.
    if request.uri().path() != health::PATH && !options.authorises(request.headers()) {
        return Some(Failure::new(Code::Unauthorised, "missing or invalid token"));
    }
    None
}

fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
