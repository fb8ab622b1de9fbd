//! Whom a chat belongs to.

use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use prowess_store::ChatId;

use super::service::{Chats, unknown_chat};
use crate::error::{Code, Failure};
use crate::requester::Requester;

/// Answers requests about a chat of someone else as if there were none. It is before all routes that name a chat, so no
/// handler can forget it.
pub(crate) async fn only_for_owner(
    State(chats): State<Chats>,
    Extension(requester): Extension<Requester>,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let invalid = |_| Failure::new(Code::InvalidPath, "invalid path: not UTF-8");
    let parameters = parameters.map_err(invalid)?;
    let id = parameters.iter().find(|(name, _)| *name == "id");
    if let Some((_, id)) = id {
        let owner = chats.host().store().chat_owner(&ChatId::named(id)).await?;
        if owner.as_deref() != requester.chat_owner() {
            return Err(unknown_chat());
        }
    }
    Ok(next.run(request).await)
}
