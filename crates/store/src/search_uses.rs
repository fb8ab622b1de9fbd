//! Which skills were loaded after which queries, for search to learn from.

use sqlx::Row;

use crate::error::StoreError;
use crate::open::{Store, text};
use crate::state::now;

/// Queries of one project that are remembered; the oldest are forgotten.
const MOST_USES: i64 = 2_000;
/// Bytes of a query that are remembered.
const QUERY_BYTES: usize = 500;

/// A skill that was loaded after a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchUse {
    /// What was asked.
    pub query: String,
    /// The skill.
    pub skill: String,
    /// How often.
    pub uses: u64,
}

impl Store {
    /// Notes that a skill was loaded in a project after these queries, now.
    pub async fn add_search_use(
        &self,
        project: &str,
        queries: &[String],
        skill: &str,
    ) -> Result<(), StoreError> {
        let (project, skill) = (project.to_owned(), skill.to_owned());
        let short = |query: &String| {
            let end = query.floor_char_boundary(QUERY_BYTES);
            query.get(..end).unwrap_or_default().to_owned()
        };
        let queries: Vec<String> = queries.iter().map(short).collect();
        self.run(move |pool| async move {
            let mut transaction = pool.begin().await?;
            for query in queries {
                let statement = "INSERT INTO search_uses (project, query, skill, uses, last)
                    VALUES ($1, $2, $3, 1, $4)
                    ON CONFLICT (project, query, skill) DO UPDATE SET
                        uses = search_uses.uses + 1, last = excluded.last";
                let insert = sqlx::query(statement).bind(&project).bind(query);
                insert
                    .bind(&skill)
                    .bind(now())
                    .execute(&mut *transaction)
                    .await?;
            }
            let statement = "DELETE FROM search_uses WHERE project = $1 AND last < (
                SELECT MIN(last) FROM (SELECT last FROM search_uses WHERE project = $1
                    ORDER BY last DESC LIMIT $2) AS newest)";
            let forget = sqlx::query(statement).bind(&project).bind(MOST_USES);
            forget.execute(&mut *transaction).await?;
            transaction.commit().await
        })
        .await
    }

    /// The skills that were loaded in a project, with what was asked before; the latest first.
    pub async fn search_uses(&self, project: &str) -> Result<Vec<SearchUse>, StoreError> {
        let project = project.to_owned();
        self.run(move |pool| async move {
            let query = "SELECT query, skill, uses FROM search_uses WHERE project = $1
                ORDER BY last DESC, query, skill LIMIT $2";
            let query = sqlx::query(query).bind(project).bind(MOST_USES);
            let rows = query.fetch_all(&*pool).await?;
            let read = |row: &sqlx::any::AnyRow| -> Result<SearchUse, sqlx::Error> {
                Ok(SearchUse {
                    query: text(row, 0)?,
                    skill: text(row, 1)?,
                    uses: u64::try_from(row.try_get::<i64, _>(2)?).unwrap_or_default(),
                })
            };
            rows.iter().map(read).collect()
        })
        .await
    }
}
