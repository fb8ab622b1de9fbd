//! Lists of chats in pages, and changes that are not turns.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use prowess_core::SkillId;
use sqlx::Row;

use crate::chat_id::ChatId;
use crate::chats::{ChatSummary, columns, json, milliseconds, no_chat, summary};
use crate::error::StoreError;
use crate::open::Store;

/// How long a chat without a turn is stored, in milliseconds.
const EMPTY: i64 = 30 * 24 * 60 * 60 * 1000;

/// A place in the list of chats, which is sorted by the time of their last message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatCursor {
    updated: i64,
    id: String,
}

impl ChatCursor {
    /// The place before every chat.
    fn first() -> Self {
        Self {
            updated: i64::MAX,
            id: String::new(),
        }
    }

    /// The place after a chat.
    pub fn after(chat: &ChatSummary) -> Self {
        let since = chat.updated.duration_since(SystemTime::UNIX_EPOCH);
        let updated = since.unwrap_or_default().as_millis();
        Self {
            updated: i64::try_from(updated).unwrap_or(i64::MAX),
            id: chat.id.to_string(),
        }
    }
}

impl fmt::Display for ChatCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.updated, self.id)
    }
}

/// A text that is not a place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid place in the list of chats")]
pub struct InvalidCursor;

impl FromStr for ChatCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (updated, id) = text.split_once('.').ok_or(InvalidCursor)?;
        Ok(Self {
            updated: updated.parse().map_err(|_| InvalidCursor)?,
            id: id.to_owned(),
        })
    }
}

impl Store {
    /// The most recently used chats of all owners before a place in the list, newest first.
    pub async fn all_chats_before(
        &self,
        limit: usize,
        before: Option<ChatCursor>,
    ) -> Result<Vec<ChatSummary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let ChatCursor { updated, id } = before.unwrap_or_else(ChatCursor::first);
        self.run(move |pool| async move {
            let statement = concat!(
                "SELECT ",
                columns!(),
                " FROM chats WHERE turns > 0 AND (updated < $1 OR (updated = $2 AND id > $3))
                ORDER BY updated DESC, id LIMIT $4"
            );
            let query = sqlx::query(statement).bind(updated).bind(updated);
            let rows = query.bind(id).bind(limit).fetch_all(&*pool).await?;
            rows.iter().map(summary).collect()
        })
        .await
    }

    /// The most recently used chats of an owner before a place in the list, newest first. No owner is the user of this
    /// machine.
    pub async fn chats_before(
        &self,
        limit: usize,
        before: Option<ChatCursor>,
        owner: Option<&str>,
    ) -> Result<Vec<ChatSummary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let owner = owner.unwrap_or_default().to_owned();
        let ChatCursor { updated, id } = before.unwrap_or_else(ChatCursor::first);
        self.run(move |pool| async move {
            let statement = concat!(
                "SELECT ",
                columns!(),
                " FROM chats WHERE turns > 0 AND (updated < $1 OR (updated = $2 AND id > $3))
                AND COALESCE(owner, '') = $4 ORDER BY updated DESC, id LIMIT $5"
            );
            let query = sqlx::query(statement).bind(updated).bind(updated);
            let query = query.bind(id).bind(owner).bind(limit);
            let rows = query.fetch_all(&*pool).await?;
            rows.iter().map(summary).collect()
        })
        .await
    }

    /// Creates a chat without a turn. `active` are skills that its first turn activates. It is not listed, and removed
    /// after 30 days without a turn. No owner is the user of this machine.
    pub async fn create_chat(
        &self,
        id: &ChatId,
        active: &[SkillId],
        owner: Option<&str>,
    ) -> Result<(), StoreError> {
        let (name, active) = (id.to_string(), json(active));
        let owner = owner.map(str::to_owned);
        self.run(|pool| async move {
            let now = milliseconds();
            let statement = "DELETE FROM chats WHERE turns = 0 AND version = 0 AND updated < $1";
            let query = sqlx::query(statement).bind(now - EMPTY);
            query.execute(&*pool).await?;
            let statement = "INSERT INTO chats
                (id, title, active, turns, input_tokens, output_tokens, created, updated, owner)
                VALUES ($1, '', $2, 0, 0, 0, $3, $4, $5)";
            let query = sqlx::query(statement).bind(name).bind(active);
            let query = query.bind(now).bind(now).bind(owner);
            query.execute(&*pool).await?;
            Ok(())
        })
        .await
    }

    /// Whom a chat belongs to; none is the user of this machine.
    pub async fn chat_owner(&self, id: &ChatId) -> Result<Option<String>, StoreError> {
        let name = id.to_string();
        let found = self.run(|pool| async move {
            let query = sqlx::query("SELECT owner FROM chats WHERE id = $1").bind(name);
            let row = query.fetch_optional(&*pool).await?;
            row.map(|row| row.try_get(0)).transpose()
        });
        found.await?.ok_or_else(|| no_chat(id))
    }

    /// Changes the title of a chat.
    pub async fn rename_chat(&self, id: &ChatId, title: &str) -> Result<(), StoreError> {
        let (name, title) = (id.to_string(), title.to_owned());
        let found = self.run(|pool| async move {
            let statement = "UPDATE chats SET title = $1 WHERE id = $2";
            let query = sqlx::query(statement).bind(title).bind(name);
            Ok(query.execute(&*pool).await?.rows_affected() > 0)
        });
        found.await?.then_some(()).ok_or_else(|| no_chat(id))
    }
}
