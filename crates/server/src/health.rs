//! How the server and its sources are doing.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::response::Response;
use prowess_core::Health;
use prowess_core::wire::{HealthReport, SourceHealth};

use crate::answer::Payload;
use crate::app::App;
use crate::error::Failure;
use crate::scope::Scope;

/// The path of the health report, which needs no token.
pub(crate) const PATH: &str = "/healthz";

/// The path that says whether requests are answered, which needs no token.
pub(crate) const READY: &str = "/readyz";

/// The server answers once its sources were asked, which happens before it listens, while its store does, and until it is
/// asked to stop.
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, &'static str) {
    if app.options().shutdown.has_begun() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match app.options().readiness.check().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason.line()),
    }
}

/// Always an answer while the server runs. The names of sources are for those who may see skills.
pub(crate) async fn health(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let catalog = app.skills().catalog();
    let healthy = catalog
        .sources()
        .all(|source| source.health == Health::Healthy);
    let sources = catalog.sources().map(SourceHealth::from).collect();
    let status = if healthy {
        Health::Healthy
    } else {
        Health::Degraded
    };
    let options = app.options();
    let scopes = options.token_scopes(&headers);
    let scopes = scopes.unwrap_or_else(|| options.anonymous_scopes());
    let trusted = scopes.allow(Scope::Read);
    let report = HealthReport {
        status,
        sources: trusted.then_some(sources),
    };
    Ok(Payload::json(&report)?.unless_known(&headers))
}
