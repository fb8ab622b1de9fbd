//! Conversations for programs in any language: the facade of the library over HTTP.

use std::time::Instant;

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use prowess_core::{CatalogReport, Event, Session, SkillId, ToolDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::json_response;
use crate::app::{App, Part, part};
use crate::body::JsonBody;
use crate::error::{Code, Failure};
use crate::requester::Requester;

/// What a new conversation starts with.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewSession {
    /// Skills that are active from the beginning.
    active: Vec<SkillId>,
}

/// A conversation, as a program needs it for a request to a model.
#[derive(Serialize)]
struct SessionBody<'s> {
    id: &'s str,
    /// Text for the system prompt.
    prompt: String,
    report: CatalogReport,
    tools: Vec<ToolDefinition>,
    active: Vec<SkillId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnRequest {
    message: String,
    #[serde(default)]
    references: Vec<SkillId>,
}

#[derive(Serialize)]
struct TurnBody {
    /// The message for the model; null if there is nothing to ask yet.
    content: Option<String>,
    /// Lines for people.
    notices: Vec<String>,
    events: Vec<Event>,
    active: Vec<SkillId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallRequest {
    tool: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

#[derive(Serialize)]
struct CallBody {
    content: Value,
    is_error: bool,
    truncated: bool,
    events: Vec<Event>,
}

pub(crate) async fn create(
    State(app): State<App>,
    Extension(requester): Extension<Requester>,
    JsonBody(request): JsonBody<NewSession>,
) -> Result<Response, Failure> {
    let catalog = app.skills().catalog();
    for id in &request.active {
        crate::app::visible(&catalog, id.as_str())?;
    }
    let session = match request.active {
        active if active.is_empty() => app.skills().session(),
        active => app.skills().resume(active),
    };
    let added = app.sessions().add(session, requester.token());
    let (id, session) =
        added.map_err(|error| Failure::new(Code::Unavailable, error.to_string()))?;
    let body = session_body(&id, &session)?;
    let place = format!("/api/sessions/{id}");
    Ok((StatusCode::CREATED, [(header::LOCATION, place)], body).into_response())
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(requester): Extension<Requester>,
    id: Part<String>,
) -> Result<Response, Failure> {
    let id = part(id)?;
    let session = find(&app, &id, &requester)?;
    session_body(&id, &session)
}

pub(crate) async fn remove(
    State(app): State<App>,
    Extension(requester): Extension<Requester>,
    id: Part<String>,
) -> Result<StatusCode, Failure> {
    let id = part(id)?;
    if app.sessions().remove(&id, requester.token()) {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown())
    }
}

pub(crate) async fn turn(
    State(app): State<App>,
    Extension(requester): Extension<Requester>,
    id: Part<String>,
    JsonBody(request): JsonBody<TurnRequest>,
) -> Result<Response, Failure> {
    let session = find(&app, &part(id)?, &requester)?;
    let mut turn = session
        .turn_with(&request.message, &request.references)
        .await;
    let content = session.content(&mut turn);
    json_response(&TurnBody {
        content,
        notices: turn.notices,
        events: turn.events,
        active: session.active(),
    })
}

pub(crate) async fn call(
    State(app): State<App>,
    Extension(requester): Extension<Requester>,
    id: Part<String>,
    JsonBody(request): JsonBody<CallRequest>,
) -> Result<Response, Failure> {
    let session = find(&app, &part(id)?, &requester)?;
    let began = Instant::now();
    let outcome = session.call(&request.tool, &request.arguments).await;
    // A name that is not one of our tools is whatever the client wrote.
    let known = session
        .tools()
        .into_iter()
        .find(|it| it.name == request.tool);
    tracing::debug!(
        tool = known.map(|it| it.name),
        is_error = outcome.result.is_error,
        duration_ms = began.elapsed().as_secs_f64() * 1e3,
        "tool was called",
    );
    json_response(&CallBody {
        content: outcome.result.content,
        is_error: outcome.result.is_error,
        truncated: outcome.result.truncated,
        events: outcome.events,
    })
}

fn session_body(id: &str, session: &Session) -> Result<Response, Failure> {
    let prompt = session.prompt();
    json_response(&SessionBody {
        id,
        prompt: prompt.text,
        report: prompt.report,
        tools: session.tools(),
        active: session.active(),
    })
}

fn find(app: &App, id: &str, requester: &Requester) -> Result<std::sync::Arc<Session>, Failure> {
    let found = app.sessions().get(id, requester.token());
    found.ok_or_else(unknown)
}

fn unknown() -> Failure {
    let message = "unknown session: it ended, or was not used for an hour";
    Failure::new(Code::SessionNotFound, message)
}
