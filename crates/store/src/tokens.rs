//! Tokens of HTTP clients, stored as hashes.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::open::{Store, text};

/// A token without its secret. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// A short id, to revoke it by.
    pub id: String,
    /// What it is for; no two tokens have one name.
    pub name: String,
    /// The SHA-256 of the secret, in hexadecimal digits.
    pub hash: String,
    /// Words, separated by blanks.
    pub scopes: String,
    /// When it was created.
    pub created: i64,
    /// When it expires.
    pub expires: Option<i64>,
    /// When it was last used.
    pub used: Option<i64>,
}

impl Store {
    /// Stores a new token. Returns whether its name was free.
    pub async fn add_token(&self, token: &TokenRecord) -> Result<bool, StoreError> {
        let token = token.clone();
        self.run(move |pool| async move {
            let statement = "INSERT INTO tokens (id, name, hash, scopes, created, expires, used)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING";
            let query = sqlx::query(statement)
                .bind(token.id)
                .bind(token.name)
                .bind(token.hash)
                .bind(token.scopes)
                .bind(token.created)
                .bind(token.expires)
                .bind(token.used);
            let done = query.execute(&*pool).await?;
            Ok(done.rows_affected() > 0)
        })
        .await
    }

    /// All tokens, oldest first.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, StoreError> {
        self.run(move |pool| async move {
            let query = "SELECT id, name, hash, scopes, created, expires, used FROM tokens
                ORDER BY created, name, id";
            let rows = sqlx::query(query).fetch_all(&*pool).await?;
            rows.iter().map(record).collect::<Result<_, sqlx::Error>>()
        })
        .await
    }

    /// Removes a token. Returns whether there was one.
    pub async fn remove_token(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.run(move |pool| async move {
            let query = sqlx::query("DELETE FROM tokens WHERE id = $1").bind(id);
            query
                .execute(&*pool)
                .await
                .map(|done| done.rows_affected() > 0)
        })
        .await
    }

    /// Notes when tokens were used.
    pub async fn note_token_uses(&self, uses: Vec<(String, i64)>) -> Result<(), StoreError> {
        self.run(move |pool| async move {
            for (id, time) in uses {
                let statement = "UPDATE tokens SET used = $2
                    WHERE id = $1 AND (used IS NULL OR used < $2)";
                let query = sqlx::query(statement).bind(id).bind(time);
                query.execute(&*pool).await?;
            }
            Ok(())
        })
        .await
    }
}

fn record(row: &AnyRow) -> Result<TokenRecord, sqlx::Error> {
    Ok(TokenRecord {
        id: text(row, 0)?,
        name: text(row, 1)?,
        hash: text(row, 2)?,
        scopes: text(row, 3)?,
        created: row.try_get(4)?,
        expires: row.try_get(5)?,
        used: row.try_get(6)?,
    })
}
