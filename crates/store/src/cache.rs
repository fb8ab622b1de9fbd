//! Cached responses of a registry.

use std::time::{Duration, SystemTime};

use sqlx::Row;

use crate::error::StoreError;
use crate::open::{Store, text};
use crate::state::now;

/// A cached response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cached {
    /// Its entity tag.
    pub etag: Option<String>,
    /// The answer.
    pub body: String,
    /// When it was given, to the second.
    pub fetched: SystemTime,
}

impl Store {
    /// The cached response of `origin` for `name`, if any.
    pub async fn cached(&self, origin: &str, name: &str) -> Result<Option<Cached>, StoreError> {
        let (origin, name) = (origin.to_owned(), name.to_owned());
        self.run(|pool| async move {
            let query = "SELECT etag, body, fetched FROM cache WHERE origin = $1 AND name = $2";
            let query = sqlx::query(query).bind(origin).bind(name);
            let Some(row) = query.fetch_optional(&*pool).await? else {
                return Ok(None);
            };
            let fetched = u64::try_from(row.try_get::<i64, _>(2)?).unwrap_or_default();
            Ok(Some(Cached {
                etag: row.try_get(0)?,
                body: text(&row, 1)?,
                fetched: SystemTime::UNIX_EPOCH + Duration::from_secs(fetched),
            }))
        })
        .await
    }

    /// Stores the response of `origin` for `name`, with the current time.
    pub async fn keep(
        &self,
        origin: &str,
        name: &str,
        etag: Option<&str>,
        body: &str,
    ) -> Result<(), StoreError> {
        let (origin, name) = (origin.to_owned(), name.to_owned());
        let (etag, body) = (etag.map(str::to_owned), body.to_owned());
        self.run(|pool| async move {
            let statement =
                "INSERT INTO cache (origin, name, etag, body, fetched) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (origin, name) DO UPDATE SET
                    etag = excluded.etag, body = excluded.body, fetched = excluded.fetched";
            sqlx::query(statement)
                .bind(origin)
                .bind(name)
                .bind(etag)
                .bind(body)
                .bind(now())
                .execute(&*pool)
                .await?;
            Ok(())
        })
        .await
    }
}
