//! The configuration and the stored approvals of the host.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::json_response;
use crate::app::{Part, part};
use crate::error::{Code, Failure};
use crate::router::method_not_allowed;

/// What a host tells about itself, and lets its users change.
#[async_trait]
pub trait Administration: Send + Sync {
    /// The configuration, without secrets.
    fn configuration(&self) -> Value;

    /// The stored approvals of one skill, or of all. An error is a message for the user.
    async fn approvals(&self, skill: Option<&str>) -> Result<Value, String>;

    /// Removes the stored approvals of a skill, and returns how many there were.
    async fn revoke(&self, skill: &str) -> Result<u64, String>;
}

type Host = Arc<dyn Administration>;

/// The routes, for [`crate::router_with`].
pub fn administration(host: Host) -> Router {
    Router::new()
        .route("/api/config", get(config))
        .route("/api/approvals", get(approvals))
        .route("/api/approvals/{id}", delete(revoke))
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(host)
}

async fn config(State(host): State<Host>) -> Result<Response, Failure> {
    json_response(&host.configuration())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wanted {
    skill: Option<String>,
}

async fn approvals(
    State(host): State<Host>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(wanted) = wanted
        .map_err(|error| Failure::new(Code::InvalidRequest, error.body_text().to_lowercase()))?;
    let found = host.approvals(wanted.skill.as_deref()).await;
    json_response(&found.map_err(unavailable)?)
}

async fn revoke(State(host): State<Host>, id: Part<String>) -> Result<StatusCode, Failure> {
    let id = part(id)?;
    match host.revoke(&id).await.map_err(unavailable)? {
        0 => {
            let shown: String = id.chars().take(100).collect();
            let message = format!("no stored approvals of `{}`", shown.escape_debug());
            Err(Failure::new(Code::NotFound, message))
        }
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

fn unavailable(message: String) -> Failure {
    Failure::new(Code::Unavailable, message)
}
