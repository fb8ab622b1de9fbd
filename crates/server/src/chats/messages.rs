//! Messages, event streams and answers to questions.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prowess_core::SkillId;
use prowess_store::ChatId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approver::DENY;
use super::command::TurnRequest;
use super::host::OnDisconnect;
use super::questions::AnswerRefusal;
use super::service::Chats;
use super::stream::{Extent, Form, stream};
use crate::answer::Payload;
use crate::app::{Parameters, Part, parameters, part};
use crate::body::JsonBody;
use crate::error::{Code, Failure};
use crate::requester::Requester;
use crate::scope::Scope;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    text: String,
    #[serde(default)]
    references: Vec<SkillId>,
    on_disconnect: Option<OnDisconnect>,
}

#[derive(Serialize)]
struct Started {
    turn: u64,
    /// The id of the event before its first.
    after: String,
}

/// Starts a turn, and streams it to clients that ask for events.
pub(crate) async fn send(
    State(chats): State<Chats>,
    id: Part<String>,
    headers: HeaderMap,
    JsonBody(message): JsonBody<Message>,
) -> Result<Response, Failure> {
    if message.text.trim().is_empty() && message.references.is_empty() {
        return Err(Failure::new(Code::InvalidRequest, "the message is empty"));
    }
    let chat = chats.lease(&ChatId::named(part(id)?)).await?;
    let form = accepted(&headers);
    let permit = form.map(|_| chats.stream_permit()).transpose()?;
    let on_disconnect = message.on_disconnect.unwrap_or(chats.on_disconnect());
    let request = || TurnRequest {
        text: message.text.clone(),
        references: message.references.clone(),
        run: None,
        on_disconnect,
    };
    let started = chats.start(&chat, request).await?;
    if let (Some(form), Some(permit)) = (form, permit) {
        let extent = Extent::Turn(started);
        return Ok(stream(&chats, chat, &extent, form, permit));
    }
    let body = Payload::json(&Started {
        turn: started.number,
        after: chats.run().id(started.after),
    })?;
    Ok((StatusCode::ACCEPTED, body.headers(), body.bytes).into_response())
}

/// The form of events that a client asks for; none if it does not ask for events.
fn accepted(headers: &HeaderMap) -> Option<Form> {
    let lists = headers.get_all(header::ACCEPT).iter();
    let lists = lists.filter_map(|it| it.to_str().ok());
    let mut medias = lists.flat_map(|it| it.split(',')).map(|it| {
        let mut parts = it.split(';').map(str::trim);
        let is_stream = parts
            .next()
            .is_some_and(|it| it.eq_ignore_ascii_case("text/event-stream"));
        let is_ag_ui = parts.any(|it| {
            let value = it.strip_prefix("profile=").map(|it| it.trim_matches('"'));
            value == Some("ag-ui")
        });
        (is_stream, is_ag_ui)
    });
    let (_, is_ag_ui) = medias.find(|(is_stream, _)| *is_stream)?;
    Some(if is_ag_ui { Form::AgUi } else { Form::Prowess })
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    after: Option<String>,
}

/// The events of a chat, after one or from now on.
pub(crate) async fn events(
    State(chats): State<Chats>,
    id: Part<String>,
    place: Parameters<Place>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let place = parameters(place)?;
    // A browser that comes back has the newer one in the header.
    let header = headers.get("last-event-id").map(|it| it.to_str());
    let header = header.map(|it| it.unwrap_or_default().to_owned());
    let chat = chats.lease(&ChatId::named(part(id)?)).await?;
    let form = accepted(&headers).unwrap_or(Form::Prowess);
    let permit = chats.stream_permit()?;
    let extent = Extent::From(header.or(place.after));
    Ok(stream(&chats, chat, &extent, form, permit))
}

/// Cancels the running turn, if there is one.
pub(crate) async fn cancel(
    State(chats): State<Chats>,
    id: Part<String>,
) -> Result<StatusCode, Failure> {
    chats.lease(&ChatId::named(part(id)?)).await?.cancel();
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    choice: String,
}

/// Answers a question. Every question is whether code may run, so only a denial needs no scope of its own.
pub(crate) async fn answer(
    State(chats): State<Chats>,
    Extension(requester): Extension<Requester>,
    ids: Part<(String, String)>,
    JsonBody(answer): JsonBody<Answer>,
) -> Result<StatusCode, Failure> {
    let (id, question) = part(ids)?;
    let chat = chats.lease(&ChatId::named(id)).await?;
    if answer.choice != DENY.id {
        requester.require(Scope::Approve)?;
    }
    let (code, message) = match chat.answer(&question, &answer.choice) {
        Ok(()) => return Ok(StatusCode::NO_CONTENT),
        Err(AnswerRefusal::Unknown) => (Code::QuestionNotFound, "unknown question"),
        Err(AnswerRefusal::Closed) => (Code::QuestionClosed, "this question is closed"),
        Err(AnswerRefusal::NotAChoice) => (Code::InvalidRequest, "this is not one of the choices"),
    };
    Err(Failure::new(code, message))
}

/// A run of the AG-UI protocol. Fields that are not here are not used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunAgentInput {
    thread_id: String,
    run_id: String,
    messages: Vec<AgUiMessage>,
}

#[derive(Deserialize)]
struct AgUiMessage {
    role: String,
    #[serde(default)]
    content: Value,
}

impl AgUiMessage {
    /// Its text: a string, or parts of which some are text.
    fn text(&self) -> String {
        let part = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(part).collect(),
            _ => String::new(),
        }
    }
}

/// Starts a turn, and streams it in the form of the AG-UI protocol.
pub(crate) async fn ag_ui(
    State(chats): State<Chats>,
    id: Part<String>,
    JsonBody(input): JsonBody<RunAgentInput>,
) -> Result<Response, Failure> {
    let id = ChatId::named(part(id)?);
    let chat = chats.lease(&id).await?;
    let invalid = |message: &str| Failure::new(Code::InvalidRequest, message);
    if input.thread_id != id.as_str() {
        return Err(invalid("`threadId` is not the id of the chat"));
    }
    let last = input.messages.iter().rfind(|it| it.role == "user");
    let text = last.map(AgUiMessage::text).unwrap_or_default();
    if text.trim().is_empty() {
        return Err(invalid("the input has no message of the user with text"));
    }
    let request = || TurnRequest {
        text: text.clone(),
        references: Vec::new(),
        run: Some(input.run_id.clone()),
        on_disconnect: chats.on_disconnect(),
    };
    let permit = chats.stream_permit()?;
    let started = chats.start(&chat, request).await?;
    let extent = Extent::Turn(started);
    Ok(stream(&chats, chat, &extent, Form::AgUi, permit))
}
