//! The configuration of the host, and what its users manage: approvals, trust, packages, evals.

mod host;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::json_response;
use crate::app::{Parameters, Part, parameters, part};
use crate::body::JsonBody;
use crate::error::{Code, Failure, method_not_allowed};

pub use host::{Accept, Administration, EvalRequest, HostError, PackageRequest, PackageScope};

type Host = Arc<dyn Administration>;

/// The routes, for [`crate::router_with`].
pub fn administration(host: Host) -> Router {
    Router::new()
        .route("/api/config", get(config))
        .route("/api/approvals", get(approvals))
        .route("/api/approvals/{id}", delete(revoke))
        .route("/api/skills/{id}/details", get(details))
        .route("/api/skills/{id}/enabled", put(set_enabled))
        .route("/api/trust", get(trust).post(accept))
        .route("/api/reload", post(reload))
        .route("/api/packages/inspect", post(inspect))
        .route("/api/packages/install", post(install))
        .route("/api/evals", get(evals).post(start_eval))
        .route("/api/evals/{id}", get(eval).delete(cancel_eval))
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(host)
}

async fn config(State(host): State<Host>) -> Result<Response, Failure> {
    json_response(&host.configuration())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApprovalsOf {
    skill: Option<String>,
}

async fn approvals(
    State(host): State<Host>,
    wanted: Parameters<ApprovalsOf>,
) -> Result<Response, Failure> {
    let wanted = parameters(wanted)?;
    json_response(&host.approvals(wanted.skill.as_deref()).await?)
}

async fn revoke(State(host): State<Host>, id: Part<String>) -> Result<StatusCode, Failure> {
    let id = part(id)?;
    match host.revoke(&id).await? {
        0 => {
            let shown: String = id.chars().take(100).collect();
            let message = format!("no stored approvals of `{}`", shown.escape_debug());
            Err(Failure::new(Code::NotFound, message))
        }
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

async fn details(State(host): State<Host>, id: Part<String>) -> Result<Response, Failure> {
    json_response(&host.details(&part(id)?).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillState {
    enabled: bool,
}

async fn set_enabled(
    State(host): State<Host>,
    id: Part<String>,
    JsonBody(state): JsonBody<SkillState>,
) -> Result<StatusCode, Failure> {
    host.set_enabled(&part(id)?, state.enabled).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn trust(State(host): State<Host>) -> Result<Response, Failure> {
    json_response(&host.trust().await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedList {
    digest: String,
}

async fn accept(
    State(host): State<Host>,
    JsonBody(accepted): JsonBody<AcceptedList>,
) -> Result<StatusCode, Failure> {
    host.accept(&accepted.digest).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn reload(State(host): State<Host>) -> Result<StatusCode, Failure> {
    host.reload().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn inspect(
    State(host): State<Host>,
    JsonBody(wanted): JsonBody<PackageRequest>,
) -> Result<Response, Failure> {
    json_response(&host.inspect(&wanted).await?)
}

async fn install(
    State(host): State<Host>,
    JsonBody(wanted): JsonBody<PackageRequest>,
) -> Result<Response, Failure> {
    json_response(&host.install(&wanted).await?)
}

async fn evals(State(host): State<Host>) -> Result<Response, Failure> {
    json_response(&host.evals().await?)
}

async fn start_eval(
    State(host): State<Host>,
    JsonBody(wanted): JsonBody<EvalRequest>,
) -> Result<Response, Failure> {
    let run = host.start_eval(&wanted).await?;
    let mut response = json_response(&run)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    let id = run.get("id").and_then(Value::as_str).unwrap_or_default();
    if let Ok(location) = HeaderValue::try_from(format!("/api/evals/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

async fn eval(State(host): State<Host>, id: Part<String>) -> Result<Response, Failure> {
    json_response(&host.eval(&part(id)?).await?)
}

async fn cancel_eval(State(host): State<Host>, id: Part<String>) -> Result<StatusCode, Failure> {
    host.cancel_eval(&part(id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let code = match &error {
            HostError::NotFound(_) => Code::NotFound,
            HostError::Invalid(_) => Code::InvalidRequest,
            HostError::ConsentNeeded(_) => Code::ConsentNeeded,
            HostError::Changed(_) => Code::PreconditionFailed,
            HostError::Failed(_) => Code::CommandFailed,
            HostError::Unavailable(_) => Code::Unavailable,
        };
        Self::new(code, error.to_string())
    }
}
