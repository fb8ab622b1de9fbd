//! The packages of a registry: what changes them.
//!
//! Every change first takes the next number of `registry_state` and holds it until it is committed. So changes happen one
//! after the other, whichever replica makes them, and who has seen all changes up to a number misses none of them.
//! Times are those of the database: the clocks of replicas may differ.

use std::sync::Arc;

use sqlx::{AnyConnection, AnyPool, Row};

use crate::error::StoreError;
use crate::open::{Store, text};

/// A version that is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// The name of the package.
    pub name: String,
    /// The version.
    pub version: String,
    /// The digest of its bytes.
    pub digest: String,
    /// Who publishes it.
    pub published_by: String,
    /// What is said about it, as JSON.
    pub facts: String,
    /// Its manifest.
    pub manifest: String,
    /// Its signature.
    pub signature: Option<String>,
    /// Words to find it by, one in a line.
    pub keywords: String,
    /// Its instructions.
    pub body: String,
}

/// What became of a publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishOutcome {
    /// It is stored.
    Created,
    /// The version exists, with this digest.
    Exists {
        /// The digest of its bytes.
        digest: String,
    },
    /// The package belongs to others.
    NotOwner,
}

/// What became of a yank, or of taking one back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YankOutcome {
    /// It is as wanted now.
    Done,
    /// There is no such version.
    NotFound,
    /// The package belongs to others.
    NotOwner,
}

/// Takes the next number of a change, and waits for other changes.
const NEXT_CHANGE: &str =
    "UPDATE registry_state SET changes = changes + 1 WHERE one = 1 RETURNING changes";

impl Store {
    /// Publishes a version. `claim` is what its owners own: the package or its namespace; who publishes first owns it.
    /// An administrator publishes for any owner.
    ///
    /// `choose_latest` gets the versions that are not yanked, and names the latest one.
    pub async fn publish(
        &self,
        new: NewVersion,
        claim: &str,
        is_administrator: bool,
        choose_latest: fn(&[String]) -> Option<&String>,
    ) -> Result<PublishOutcome, StoreError> {
        let claim = claim.to_owned();
        self.change(move |mut change| async move {
            let known = "SELECT digest FROM registry_versions WHERE name = $1 AND version = $2";
            let query = sqlx::query(known)
                .bind(new.name.clone())
                .bind(new.version.clone());
            let known = query.fetch_optional(change.connection()).await?;
            let owners = change.owners(&claim).await?;
            let is_owner = owners.is_empty() || owners.contains(&new.published_by);
            if !is_owner && !is_administrator {
                return Ok((change, PublishOutcome::NotOwner));
            }
            if let Some(row) = known {
                let digest = text(&row, 0)?;
                return Ok((change, PublishOutcome::Exists { digest }));
            }
            // What an administrator publishes for others stays theirs alone.
            if owners.is_empty() {
                change.add_owner(&claim, &new.published_by).await?;
            }
            let name = new.name.clone();
            change.insert(new).await?;
            change.update_latest(&name, choose_latest).await?;
            Ok((change.worth_keeping(), PublishOutcome::Created))
        })
        .await
    }

    /// Yanks a version for a reason, or takes that back if there is none. `owner` is what must be owned and by whom; an
    /// administrator is `None`.
    pub async fn yank(
        &self,
        name: &str,
        version: &str,
        reason: Option<&str>,
        owner: Option<(&str, &str)>,
        choose_latest: fn(&[String]) -> Option<&String>,
    ) -> Result<YankOutcome, StoreError> {
        let (name, version) = (name.to_owned(), version.to_owned());
        let reason = reason.map(str::to_owned);
        let owner = owner.map(|(claim, owner)| (claim.to_owned(), owner.to_owned()));
        self.change(move |mut change| async move {
            if let Some((claim, owner)) = &owner {
                let owners = change.owners(claim).await?;
                if !owners.is_empty() && !owners.contains(owner) {
                    return Ok((change, YankOutcome::NotOwner));
                }
            }
            let statement = match &reason {
                Some(_) => change.with_clock(
                    "UPDATE registry_versions SET yanked = CLOCK, yank_reason = $3
                    WHERE name = $1 AND version = $2",
                ),
                None => "UPDATE registry_versions SET yanked = NULL, yank_reason = $3
                    WHERE name = $1 AND version = $2"
                    .to_owned(),
            };
            let query = sqlx::query(sqlx::AssertSqlSafe(statement))
                .bind(name.clone())
                .bind(version)
                .bind(reason);
            if query.execute(change.connection()).await?.rows_affected() == 0 {
                return Ok((change, YankOutcome::NotFound));
            }
            change.update_latest(&name, choose_latest).await?;
            Ok((change.worth_keeping(), YankOutcome::Done))
        })
        .await
    }

    /// Adds or removes an owner. Returns whether `by` may do that; an administrator is `None`. The last owner stays.
    pub async fn set_owner(
        &self,
        claim: &str,
        owner: &str,
        is_owner: bool,
        by: Option<&str>,
    ) -> Result<bool, StoreError> {
        let (claim, owner, by) = (claim.to_owned(), owner.to_owned(), by.map(str::to_owned));
        self.change(move |mut change| async move {
            let owners = change.owners(&claim).await?;
            if by.is_some_and(|by| !owners.contains(&by)) {
                return Ok((change, false));
            }
            if is_owner {
                change.add_owner(&claim, &owner).await?;
            } else if owners != [owner.clone()] {
                let statement = "DELETE FROM registry_owners WHERE owned = $1 AND owner = $2";
                let query = sqlx::query(statement).bind(claim).bind(owner);
                query.execute(change.connection()).await?;
            } else {
                return Ok((change, false));
            }
            Ok((change.worth_keeping(), true))
        })
        .await
    }

    /// Adds downloads to those of versions, all together.
    pub async fn add_downloads(
        &self,
        mut downloads: Vec<(String, String, i64)>,
    ) -> Result<(), StoreError> {
        // In one order, so that replicas do not wait for each other in a circle.
        downloads.sort();
        self.run(move |pool| async move {
            let mut transaction = pool.begin().await?;
            for (name, version, count) in downloads {
                let version_count = "UPDATE registry_versions SET downloads = downloads + $3
                    WHERE name = $1 AND version = $2";
                let query = sqlx::query(version_count)
                    .bind(name.clone())
                    .bind(version)
                    .bind(count);
                query.execute(&mut *transaction).await?;
                let package_count =
                    "UPDATE registry_packages SET downloads = downloads + $2 WHERE name = $1";
                let query = sqlx::query(package_count).bind(name).bind(count);
                query.execute(&mut *transaction).await?;
            }
            transaction.commit().await
        })
        .await
    }

    /// Runs a change in a transaction of its own; only one that is worth keeping is committed.
    async fn change<T, F>(
        &self,
        work: impl FnOnce(Change) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<(Change, T), sqlx::Error>> + Send,
    {
        self.run(move |pool| async move {
            let change = Change::begin(&pool).await?;
            let (change, outcome) = work(change).await?;
            change.end().await?;
            Ok(outcome)
        })
        .await
    }
}

/// A change that is under way.
struct Change {
    transaction: sqlx::Transaction<'static, sqlx::Any>,
    number: i64,
    is_sqlite: bool,
    is_worth_keeping: bool,
}

impl Change {
    async fn begin(pool: &Arc<AnyPool>) -> Result<Self, sqlx::Error> {
        let connection = pool.acquire().await?;
        let is_sqlite = connection.backend_name() == "SQLite";
        drop(connection);
        // SQLite waits for others only where a transaction begins as a writer.
        let begin = if is_sqlite {
            "BEGIN IMMEDIATE"
        } else {
            "BEGIN ISOLATION LEVEL READ COMMITTED"
        };
        let mut transaction = pool.begin_with(begin).await?;
        let row = sqlx::query(NEXT_CHANGE)
            .fetch_one(&mut *transaction)
            .await?;
        Ok(Self {
            number: row.try_get(0)?,
            transaction,
            is_sqlite,
            is_worth_keeping: false,
        })
    }

    fn connection(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    fn worth_keeping(mut self) -> Self {
        self.is_worth_keeping = true;
        self
    }

    async fn end(self) -> Result<(), sqlx::Error> {
        if self.is_worth_keeping {
            self.transaction.commit().await
        } else {
            self.transaction.rollback().await
        }
    }

    /// A statement with the time of the database, in milliseconds since 1970, in the place of `CLOCK`.
    fn with_clock(&self, statement: &str) -> String {
        let clock = if self.is_sqlite {
            "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        } else {
            "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
        };
        statement.replace("CLOCK", clock)
    }

    async fn owners(&mut self, claim: &str) -> Result<Vec<String>, sqlx::Error> {
        let query =
            sqlx::query("SELECT owner FROM registry_owners WHERE owned = $1 ORDER BY owner");
        let rows = query
            .bind(claim.to_owned())
            .fetch_all(self.connection())
            .await?;
        rows.iter().map(|row| text(row, 0)).collect()
    }

    async fn add_owner(&mut self, claim: &str, owner: &str) -> Result<(), sqlx::Error> {
        let statement = "INSERT INTO registry_owners (owned, owner) VALUES ($1, $2)
            ON CONFLICT (owned, owner) DO NOTHING";
        let query = sqlx::query(statement)
            .bind(claim.to_owned())
            .bind(owner.to_owned());
        query.execute(self.connection()).await.map(|_| ())
    }

    async fn insert(&mut self, new: NewVersion) -> Result<(), sqlx::Error> {
        let package = "INSERT INTO registry_packages (name, downloads, changed) VALUES ($1, 0, $2)
            ON CONFLICT (name) DO NOTHING";
        let number = self.number;
        let query = sqlx::query(package).bind(new.name.clone()).bind(number);
        query.execute(self.connection()).await?;
        let version = self.with_clock(
            "INSERT INTO registry_versions (name, version, digest, published, published_by, facts,
                manifest, signature, keywords, body, downloads)
            VALUES ($1, $2, $3, CLOCK, $4, $5, $6, $7, $8, $9, 0)",
        );
        let query = sqlx::query(sqlx::AssertSqlSafe(version))
            .bind(new.name)
            .bind(new.version)
            .bind(new.digest)
            .bind(new.published_by)
            .bind(new.facts)
            .bind(new.manifest)
            .bind(new.signature)
            .bind(new.keywords)
            .bind(new.body);
        query.execute(self.connection()).await.map(|_| ())
    }

    /// Chooses the latest version again, and notes that the package changed.
    async fn update_latest(
        &mut self,
        name: &str,
        choose_latest: fn(&[String]) -> Option<&String>,
    ) -> Result<(), sqlx::Error> {
        let query = "SELECT version FROM registry_versions WHERE name = $1 AND yanked IS NULL";
        let query = sqlx::query(query).bind(name.to_owned());
        let rows = query.fetch_all(self.connection()).await?;
        let versions: Vec<String> = rows
            .iter()
            .map(|row| text(row, 0))
            .collect::<Result<_, _>>()?;
        let latest = choose_latest(&versions).cloned();
        let statement = "UPDATE registry_packages SET latest = $2, changed = $3 WHERE name = $1";
        let number = self.number;
        let query = sqlx::query(statement)
            .bind(name.to_owned())
            .bind(latest)
            .bind(number);
        query.execute(self.connection()).await.map(|_| ())
    }
}
