//! Saved chats, and the routes of all that concerns chats.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use prowess_agent::wire::ChatEntry;
use prowess_core::SkillId;
use prowess_store::{ChatCursor, ChatId};
use serde::{Deserialize, Serialize};

use super::content::{Content, View};
use super::event::Question;
use super::messages;
use super::owner::only_for_owner;
use super::saved::{SavedChat, content};
use super::service::Chats;
use crate::answer::json_response;
use crate::app::{Parameters, Part, parameters, part, visible};
use crate::body::JsonBody;
use crate::error::{Code, Failure, method_not_allowed};
use crate::limits::{CHATS_LISTED, JSON_BYTES, TITLE_CHARS};
use crate::requester::Requester;

impl Chats {
    /// The routes of chats, for [`crate::router_with`].
    pub fn routes(&self) -> Router {
        Router::new()
            .route("/api/model", get(model))
            .route("/api/chats", get(list).post(create))
            .route("/api/chats/{id}", get(show).patch(rename).delete(remove))
            .route("/api/chats/{id}/fork", post(fork))
            .route("/api/chats/{id}/undo", post(undo))
            .route("/api/chats/{id}/messages", post(messages::send))
            .route("/api/chats/{id}/cancel", post(messages::cancel))
            .route("/api/chats/{id}/events", get(messages::events))
            .route("/api/chats/{id}/ag-ui", post(messages::ag_ui))
            .route(
                "/api/chats/{id}/questions/{question}",
                post(messages::answer),
            )
            .route_layer(from_fn_with_state(self.clone(), only_for_owner))
            .method_not_allowed_fallback(method_not_allowed)
            .layer(DefaultBodyLimit::max(JSON_BYTES))
            .with_state(self.clone())
    }
}

async fn model(State(chats): State<Chats>) -> Result<Response, Failure> {
    json_response(&chats.host().model())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    limit: Option<usize>,
    before: Option<String>,
}

#[derive(Serialize)]
struct ChatList {
    chats: Vec<SavedChat>,
    /// The `before` of the next page.
    next: Option<String>,
}

async fn list(
    State(chats): State<Chats>,
    Extension(requester): Extension<Requester>,
    page: Parameters<Page>,
) -> Result<Response, Failure> {
    let owner = requester.chat_owner();
    let page = parameters(page)?;
    let limit = page.limit.unwrap_or(CHATS_LISTED).clamp(1, CHATS_LISTED);
    let is_first_page = page.before.is_none();
    let before = page
        .before
        .map(|text| text.parse::<ChatCursor>())
        .transpose();
    let invalid = |_| Failure::new(Code::InvalidRequest, "invalid `before`: expected a `next`");
    let before = before.map_err(invalid)?;
    // One more tells whether there is another page.
    let store = chats.host().store();
    let found = store.chats_before(limit + 1, before, owner).await;
    let mut found = found?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more);
    let next = next.map(|last| ChatCursor::after(last).to_string());
    // A chat whose first turn runs has no turn in the store yet; it may wait for an answer.
    let mut listed = Vec::new();
    for id in chats.in_first_turn().into_iter().filter(|_| is_first_page) {
        let is_own = store
            .chat_owner(&id)
            .await
            .is_ok_and(|it| it.as_deref() == owner);
        if is_own && let Ok(chat) = store.chat(&id).await {
            listed.push(SavedChat::from(chat.summary));
        }
    }
    listed.extend(found.into_iter().map(SavedChat::from));
    json_response(&ChatList {
        next,
        chats: listed,
    })
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewChat {
    /// Skills that the first message activates.
    active: Vec<SkillId>,
}

async fn create(
    State(chats): State<Chats>,
    Extension(requester): Extension<Requester>,
    JsonBody(new): JsonBody<NewChat>,
) -> Result<Response, Failure> {
    let catalog = chats.host().skills().catalog();
    for id in &new.active {
        visible(&catalog, id.as_str())?;
    }
    let id = ChatId::new();
    let store = chats.host().store();
    store
        .create_chat(&id, &new.active, requester.chat_owner())
        .await?;
    created(&chats, &id).await
}

/// A chat with its messages.
#[derive(Serialize)]
struct ChatBody<'c> {
    #[serde(flatten)]
    summary: SavedChat,
    model: Option<String>,
    state: &'static str,
    /// Whether its entries are in the store.
    saved: bool,
    /// The running turn.
    turn: Option<u64>,
    active: &'c [SkillId],
    entries: &'c [ChatEntry],
    questions: Vec<Question>,
    last_event: String,
}

async fn show(State(chats): State<Chats>, id: Part<String>) -> Result<Response, Failure> {
    body(&chats, &ChatId::named(part(id)?)).await
}

async fn body(chats: &Chats, id: &ChatId) -> Result<Response, Failure> {
    // Before the store is read: what happens after this comes as an event.
    let last_event = chats.run().current();
    let stored = chats.host().store().chat(id).await?;
    let view = match chats.find(id) {
        Some(live) => live.view(),
        None => View {
            content: content(&stored).map_err(unreadable)?,
            state: "idle",
            is_saved: true,
            turn: None,
            questions: Vec::new(),
            last_event,
        },
    };
    let Content { entries, active } = &view.content;
    json_response(&ChatBody {
        summary: stored.summary.into(),
        model: chats.host().model().name,
        state: view.state,
        saved: view.is_saved,
        turn: view.turn,
        active,
        entries,
        questions: view.questions,
        last_event: chats.run().id(view.last_event),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Title {
    title: String,
}

async fn rename(
    State(chats): State<Chats>,
    id: Part<String>,
    JsonBody(request): JsonBody<Title>,
) -> Result<Response, Failure> {
    let id = ChatId::named(part(id)?);
    let title = request.title.trim();
    let count = title.chars().count();
    if !(1..=TITLE_CHARS).contains(&count) || title.contains(char::is_control) {
        let message = format!("invalid title: expected one line of 1 to {TITLE_CHARS} characters");
        return Err(Failure::new(Code::InvalidRequest, message));
    }
    let store = chats.host().store();
    store.rename_chat(&id, title).await?;
    body(&chats, &id).await
}

async fn remove(State(chats): State<Chats>, id: Part<String>) -> Result<StatusCode, Failure> {
    chats.delete(&ChatId::named(part(id)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn fork(State(chats): State<Chats>, id: Part<String>) -> Result<Response, Failure> {
    let id = ChatId::named(part(id)?);
    let fork = chats.host().store().fork_chat(&id).await;
    created(&chats, &fork?).await
}

#[derive(Serialize)]
struct Undone {
    /// The message of the turn that was removed.
    text: String,
}

async fn undo(State(chats): State<Chats>, id: Part<String>) -> Result<Response, Failure> {
    let chat = chats.lease(&ChatId::named(part(id)?)).await?;
    match chats.undo(&chat).await? {
        Some(text) => json_response(&Undone { text }),
        None => Err(Failure::new(Code::NoTurn, "this chat has no turn")),
    }
}

/// The response for a new chat.
async fn created(chats: &Chats, id: &ChatId) -> Result<Response, Failure> {
    let place = [(header::LOCATION, format!("/api/chats/{id}"))];
    let body = body(chats, id).await?;
    Ok((StatusCode::CREATED, place, body).into_response())
}

fn unreadable(error: String) -> Failure {
    Failure::new(Code::Unavailable, error)
}
