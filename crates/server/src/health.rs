//! How the server and its sources are doing.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use prowess_core::Health;
use prowess_core::wire::{HealthReport, SourceHealth};

use crate::answer::Payload;
use crate::app::App;
use crate::error::Failure;

/// The path of the health report, which needs no token.
pub(crate) const PATH: &str = "/healthz";

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
    let trusted = app.options().authorises(&headers);
    let report = HealthReport {
        status,
        sources: trusted.then_some(sources),
    };
    Ok(Payload::json(&report)?.unless_known(&headers))
}
