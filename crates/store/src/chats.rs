//! Chats: messages, active skills and costs.
//!
//! A turn is written in one transaction, together with the version that the writer knows: a crash leaves the last
//! complete turn, and of two writers the second gets [`StoreError::ChatChanged`]. Messages are opaque text here.

use std::time::{Duration, SystemTime};

use prowess_core::SkillId;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::chat_id::ChatId;
use crate::error::StoreError;
use crate::open::{Store, text};

/// How often a new name is tried that is taken.
const TRIES: usize = 3;

/// Tokens that a model counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
}

/// A chat without its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSummary {
    /// Its name.
    pub id: ChatId,
    /// The title.
    pub title: String,
    /// How many turns it has.
    pub turns: u64,
    /// The total cost.
    pub tokens: Tokens,
    /// The model, as the writer describes it.
    pub model: Option<String>,
    /// The chat that it continues on its own.
    pub forked_from: Option<ChatId>,
    /// When it began, to the millisecond.
    pub created: SystemTime,
    /// Time of the last message, in milliseconds.
    pub updated: SystemTime,
}

/// A chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    /// The metadata of a chat.
    pub summary: ChatSummary,
    /// The active skills, in the order in which they became so.
    pub active: Vec<SkillId>,
    /// Those whose code is active, which the conversation itself may not name.
    pub code_active: Vec<SkillId>,
    /// The messages, oldest first.
    pub messages: Vec<String>,
    /// How often it was changed.
    pub version: u64,
}

/// The additions of a turn to a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatTurn {
    /// The messages.
    pub messages: Vec<String>,
    /// How many of the earlier messages stay; all of them if absent.
    pub keep: Option<usize>,
    /// All skills that are active now.
    pub active: Vec<SkillId>,
    /// All skills whose code is active now.
    pub code_active: Vec<SkillId>,
    /// The model, as the writer describes it.
    pub model: Option<String>,
    /// Skills that became active in the turn, and the project in which they did.
    pub used: Option<SkillUses>,
    /// The cost.
    pub tokens: Tokens,
    /// The new title, if it changes.
    pub title: Option<String>,
}

/// Skills that a project used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillUses {
    /// The root of the project.
    pub project: String,
    /// The skills.
    pub skills: Vec<SkillId>,
}

/// How often a skill was activated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkillUse {
    /// Turns in which it became active.
    pub count: u64,
    /// The last one, in seconds since 1970.
    pub last: Option<i64>,
}

/// The columns of a summary, in the order in which [`summary`] reads them.
macro_rules! columns {
    () => {
        "id, title, turns, input_tokens, output_tokens, forked_from, created, updated, model"
    };
}
pub(crate) use columns;

impl Store {
    /// Adds a turn to the `expected` version of a chat, or puts it in the place of earlier messages; the new version. A
    /// chat begins with its first turn. A turn that is there already is not added again, so that an error can be answered
    /// by trying again.
    pub async fn append_turn(
        &self,
        id: &ChatId,
        expected: u64,
        turn: ChatTurn,
    ) -> Result<u64, StoreError> {
        let name = id.to_string();
        let (active, code_active) = (json(&turn.active), json(&turn.code_active));
        let known = number(expected);
        let written = self.run(move |pool| async move {
            let mut transaction = pool.begin().await?;
            // The first statement writes, so that SQLite waits for others instead of failing half way.
            if known == 0 {
                let statement = "INSERT INTO chats
                    (id, title, active, turns, input_tokens, output_tokens, created, updated)
                    VALUES ($1, '', '[]', 0, 0, 0, $2, $3) ON CONFLICT (id) DO NOTHING";
                let query = sqlx::query(statement).bind(name.clone());
                let query = query.bind(milliseconds()).bind(milliseconds());
                query.execute(&mut *transaction).await?;
            }
            let statement = "UPDATE chats SET version = version + 1,
                    turns = turns + 1, active = $1, code_active = $2, model = $3, updated = $4,
                    input_tokens = input_tokens + $5, output_tokens = output_tokens + $6
                WHERE id = $7 AND version = $8";
            let query = sqlx::query(statement)
                .bind(active)
                .bind(code_active)
                .bind(turn.model)
                .bind(milliseconds())
                .bind(number(turn.tokens.input))
                .bind(number(turn.tokens.output))
                .bind(name.clone())
                .bind(known);
            if query.execute(&mut *transaction).await?.rows_affected() == 0 {
                // The same turn may be there: a commit whose answer was lost, tried again.
                let same = has_turn(&mut transaction, &name, known + 1, &turn.messages).await?;
                transaction.rollback().await?;
                return Ok(same);
            }
            if let Some(title) = turn.title {
                // A chat may have a title before its first turn.
                let statement = if known == 0 {
                    "UPDATE chats SET title = $1 WHERE id = $2 AND title = ''"
                } else {
                    "UPDATE chats SET title = $1 WHERE id = $2"
                };
                let query = sqlx::query(statement).bind(title).bind(name.clone());
                query.execute(&mut *transaction).await?;
            }
            if let Some(keep) = turn.keep {
                delete_after(&mut transaction, &name, keep).await?;
            }
            for (position, body) in (0_i64..).zip(turn.messages) {
                let statement =
                    "INSERT INTO chat_messages (chat, turn, position, body) VALUES ($1, $2, $3, $4)";
                let query = sqlx::query(statement).bind(name.clone()).bind(known + 1);
                let query = query.bind(position).bind(body);
                query.execute(&mut *transaction).await?;
            }
            if turn.keep.is_some() {
                let statement = "UPDATE chats SET turns =
                    (SELECT COUNT(DISTINCT turn) FROM chat_messages WHERE chat = $1) WHERE id = $2";
                let query = sqlx::query(statement).bind(name.clone()).bind(name.clone());
                query.execute(&mut *transaction).await?;
            }
            let SkillUses { project, skills } = turn.used.unwrap_or_default();
            for skill in skills {
                let statement = "INSERT INTO skill_uses (project, skill, uses, last)
                    VALUES ($1, $2, 1, $3) ON CONFLICT (project, skill)
                    DO UPDATE SET uses = skill_uses.uses + 1, last = excluded.last";
                let query = sqlx::query(statement).bind(project.clone());
                let query = query.bind(skill.to_string()).bind(milliseconds());
                query.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(true)
        });
        if written.await? {
            return Ok(expected + 1);
        }
        let found = self.chat_version(id).await?;
        Err(StoreError::ChatChanged {
            id: id.to_string(),
            expected,
            found,
        })
    }

    /// How often a chat was changed.
    pub async fn chat_version(&self, id: &ChatId) -> Result<u64, StoreError> {
        let name = id.to_string();
        let found = self.run(|pool| async move {
            let query = sqlx::query("SELECT version FROM chats WHERE id = $1").bind(name);
            let row = query.fetch_optional(&*pool).await?;
            row.map(|row| count(&row, 0)).transpose()
        });
        found.await?.ok_or_else(|| no_chat(id))
    }

    /// A chat without its messages.
    pub async fn chat_summary(&self, id: &ChatId) -> Result<ChatSummary, StoreError> {
        let name = id.to_string();
        let found = self.run(|pool| async move {
            let statement = concat!("SELECT ", columns!(), " FROM chats WHERE id = $1");
            let query = sqlx::query(statement).bind(name);
            let row = query.fetch_optional(&*pool).await?;
            row.as_ref().map(summary).transpose()
        });
        found.await?.ok_or_else(|| no_chat(id))
    }

    /// A chat with its messages.
    pub async fn chat(&self, id: &ChatId) -> Result<Chat, StoreError> {
        let name = id.to_string();
        let found = self.run(|pool| async move {
            // Both statements see the same state, regardless of concurrent writers.
            let mut transaction = pool.begin().await?;
            snapshot(&mut transaction).await?;
            let statement = concat!(
                "SELECT ",
                columns!(),
                ", active, version, code_active FROM chats WHERE id = $1"
            );
            let query = sqlx::query(statement).bind(name.clone());
            let Some(row) = query.fetch_optional(&mut *transaction).await? else {
                return Ok(None);
            };
            let statement =
                "SELECT body FROM chat_messages WHERE chat = $1 ORDER BY turn, position";
            let query = sqlx::query(statement).bind(name);
            let bodies = query.fetch_all(&mut *transaction).await?;
            let messages: Result<Vec<String>, sqlx::Error> =
                bodies.iter().map(|row| text(row, 0)).collect();
            transaction.commit().await?;
            Ok(Some(Chat {
                summary: summary(&row)?,
                // An invalid id is a skill that no longer exists.
                active: serde_json::from_str(&text(&row, COLUMNS)?).unwrap_or_default(),
                code_active: row
                    .try_get::<Option<String>, _>(COLUMNS + 2)?
                    .and_then(|ids| serde_json::from_str(&ids).ok())
                    .unwrap_or_default(),
                version: count(&row, COLUMNS + 1)?,
                messages: messages?,
            }))
        });
        found.await?.ok_or_else(|| no_chat(id))
    }

    /// The most recently used chats, newest first.
    pub async fn chats(&self, limit: usize) -> Result<Vec<ChatSummary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.run(move |pool| async move {
            let statement = concat!(
                "SELECT ",
                columns!(),
                " FROM chats WHERE turns > 0 ORDER BY updated DESC, created DESC, id LIMIT $1"
            );
            let rows = sqlx::query(statement).bind(limit).fetch_all(&*pool).await?;
            rows.iter().map(summary).collect()
        })
        .await
    }

    /// The chats whose ids start with a text, at most `limit`.
    pub async fn chats_starting(
        &self,
        start: &str,
        limit: usize,
    ) -> Result<Vec<ChatSummary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let length = i64::try_from(start.chars().count()).unwrap_or(i64::MAX);
        let start = start.to_owned();
        self.run(move |pool| async move {
            let statement = concat!(
                "SELECT ",
                columns!(),
                " FROM chats WHERE turns > 0 AND substr(id, 1, CAST($1 AS INTEGER)) = $2 ORDER BY id LIMIT $3"
            );
            let query = sqlx::query(statement).bind(length).bind(start).bind(limit);
            let rows = query.fetch_all(&*pool).await?;
            rows.iter().map(summary).collect()
        })
        .await
    }

    /// The skills that chats in a project used, the latest first.
    pub async fn recent_skills(
        &self,
        project: &str,
        limit: usize,
    ) -> Result<Vec<SkillId>, StoreError> {
        let project = project.to_owned();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.run(move |pool| async move {
            let statement = "SELECT skill FROM skill_uses WHERE project = $1
                ORDER BY last DESC, uses DESC, skill LIMIT $2";
            let query = sqlx::query(statement).bind(project).bind(limit);
            let rows = query.fetch_all(&*pool).await?;
            let ids = rows.iter().map(|row| Ok(text(row, 0)?.parse().ok()));
            let ids: Result<Vec<Option<SkillId>>, sqlx::Error> = ids.collect();
            Ok(ids?.into_iter().flatten().collect())
        })
        .await
    }

    /// How often chats activated a skill, in all projects.
    pub async fn skill_use(&self, skill: &SkillId) -> Result<SkillUse, StoreError> {
        let skill = skill.to_string();
        self.run(move |pool| async move {
            let statement = "SELECT CAST(COALESCE(SUM(uses), 0) AS BIGINT), MAX(last)
                FROM skill_uses WHERE skill = $1";
            let row = sqlx::query(statement).bind(skill).fetch_one(&*pool).await?;
            let last: Option<i64> = row.try_get(1)?;
            Ok(SkillUse {
                count: row.try_get::<i64, _>(0)?.try_into().unwrap_or_default(),
                last: last.map(|it| it / 1000),
            })
        })
        .await
    }

    /// Forgets a chat; whether there was one.
    pub async fn delete_chat(&self, id: &ChatId) -> Result<bool, StoreError> {
        let name = id.to_string();
        self.run(|pool| async move {
            let mut transaction = pool.begin().await?;
            let statement = "DELETE FROM chat_messages WHERE chat = $1";
            let query = sqlx::query(statement).bind(name.clone());
            query.execute(&mut *transaction).await?;
            let query = sqlx::query("DELETE FROM chats WHERE id = $1").bind(name);
            let done = query.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(done.rows_affected() > 0)
        })
        .await
    }

    /// Forks a chat: the same messages, the same active skills.
    pub async fn fork_chat(&self, id: &ChatId) -> Result<ChatId, StoreError> {
        self.chat_version(id).await?;
        for _ in 0..TRIES {
            let fork = ChatId::new();
            let (name, new) = (id.to_string(), fork.to_string());
            let made = self.run(|pool| async move {
                let mut transaction = pool.begin().await?;
                let statement =
                    "INSERT INTO chats (id, title, active, turns, input_tokens, output_tokens,
                        model, code_active, version, owner, forked_from, created, updated)
                    SELECT $1, title, active, turns, input_tokens, output_tokens,
                        model, code_active, version, owner, id, $2, $3
                    FROM chats WHERE id = $4 ON CONFLICT (id) DO NOTHING";
                let query = sqlx::query(statement)
                    .bind(new.clone())
                    .bind(milliseconds())
                    .bind(milliseconds());
                let done = query.bind(name.clone()).execute(&mut *transaction).await?;
                // Only turns that the copied row knows: another may have been added since.
                let statement = "INSERT INTO chat_messages (chat, turn, position, body)
                    SELECT $1, turn, position, body FROM chat_messages
                    WHERE chat = $2 AND turn <= (SELECT version FROM chats WHERE id = $3)";
                let query = sqlx::query(statement)
                    .bind(new.clone())
                    .bind(name)
                    .bind(new);
                if done.rows_affected() > 0 {
                    query.execute(&mut *transaction).await?;
                }
                transaction.commit().await?;
                Ok(done.rows_affected())
            });
            if made.await? > 0 {
                return Ok(fork);
            }
        }
        Err(taken())
    }
}

/// Whether a turn was the last change of a chat, and has exactly these messages.
async fn has_turn(
    connection: &mut AnyConnection,
    chat: &str,
    turn: i64,
    messages: &[String],
) -> Result<bool, sqlx::Error> {
    let statement = "SELECT body FROM chat_messages WHERE chat = $1 AND turn = $2
        AND (SELECT version FROM chats WHERE id = $3) = $4 ORDER BY position";
    let query = sqlx::query(statement).bind(chat.to_owned()).bind(turn);
    let query = query.bind(chat.to_owned()).bind(turn);
    let rows = query.fetch_all(connection).await?;
    let found: Result<Vec<String>, sqlx::Error> = rows.iter().map(|row| text(row, 0)).collect();
    Ok(!messages.is_empty() && found? == messages)
}

/// Deletes the messages after the first `keep`.
async fn delete_after(
    connection: &mut AnyConnection,
    chat: &str,
    keep: usize,
) -> Result<(), sqlx::Error> {
    let statement = "SELECT turn, position FROM chat_messages WHERE chat = $1
        ORDER BY turn, position LIMIT 1 OFFSET $2";
    let query = sqlx::query(statement).bind(chat.to_owned());
    let query = query.bind(i64::try_from(keep).unwrap_or(i64::MAX));
    let Some(first) = query.fetch_optional(&mut *connection).await? else {
        return Ok(());
    };
    let (turn, position): (i64, i64) = (first.try_get(0)?, first.try_get(1)?);
    let statement = "DELETE FROM chat_messages
        WHERE chat = $1 AND (turn > $2 OR (turn = $3 AND position >= $4))";
    let query = sqlx::query(statement).bind(chat.to_owned());
    let query = query.bind(turn).bind(turn).bind(position);
    query.execute(connection).await.map(|_| ())
}

/// How many columns a summary has.
const COLUMNS: usize = 9;

pub(crate) fn summary(row: &AnyRow) -> Result<ChatSummary, sqlx::Error> {
    Ok(ChatSummary {
        id: ChatId::named(text(row, 0)?),
        title: text(row, 1)?,
        turns: count(row, 2)?,
        tokens: Tokens {
            input: count(row, 3)?,
            output: count(row, 4)?,
        },
        forked_from: row.try_get::<Option<String>, _>(5)?.map(ChatId::named),
        created: time(row, 6)?,
        updated: time(row, 7)?,
        model: row.try_get(8)?,
    })
}

/// Has the statements of a transaction see one state.
async fn snapshot(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    // With SQLite they do anyway.
    if connection.backend_name() != "SQLite" {
        let statement = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        sqlx::query(statement).execute(connection).await?;
    }
    Ok(())
}

fn count(row: &AnyRow, index: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64, _>(index)?).unwrap_or_default())
}

fn time(row: &AnyRow, index: usize) -> Result<SystemTime, sqlx::Error> {
    Ok(SystemTime::UNIX_EPOCH + Duration::from_millis(count(row, index)?))
}

/// The time.
pub(crate) fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn json(ids: &[SkillId]) -> String {
    let ids: Vec<&str> = ids.iter().map(SkillId::as_str).collect();
    serde_json::json!(ids).to_string()
}

pub(crate) fn no_chat(id: &ChatId) -> StoreError {
    StoreError::NoChat { id: id.to_string() }
}

fn taken() -> StoreError {
    StoreError::Database {
        action: "use",
        reason: "no free chat id".to_owned(),
    }
}
